package pages

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/yuin/goldmark/ast"
	extension "github.com/yuin/goldmark/extension/ast"
)

// The page of errors has a row for every kind that the program can answer, with its code
// and a piece of a message that the program still prints.
func TestThePageOfErrorsIsTrue(t *testing.T) {
	code := production(t)
	kinds := values(code, `ErrorKind = "(\w+)"`)
	reasons := values(code, `\sReason = "(\w+)"`)
	var listed []string
	for _, row := range rows(t, "docs/errors.md") {
		if len(row) != 5 || row[0] == "kind" {
			for _, name := range pieces(row[0]) {
				if len(row) == 3 && slices.Contains(reasons, name) {
					listed = append(listed, name)
				}
				if len(row) == 3 && strings.Contains(name, " ") && !strings.Contains(code, name) {
					t.Errorf("nothing prints %q", name)
				}
			}
			continue
		}
		kind := pieces(row[0])[0]
		listed = append(listed, kind)
		if !slices.Contains(kinds, kind) {
			t.Errorf("there is no kind %s", kind)
		}
		if !strings.Contains(code, "= "+row[1]+"\n") && !strings.Contains(row[1], "-32") {
			t.Errorf("%s: there is no code %s", kind, row[1])
		}
		if message := pieces(row[2])[0]; !strings.Contains(code, message) {
			t.Errorf("%s: nothing prints %q", kind, message)
		}
	}
	for _, want := range slices.Concat(kinds, reasons) {
		usual := []string{"exited", "notStarted", "skipped"} // of results, not of what went wrong
		if !slices.Contains(listed, want) && !slices.Contains(usual, want) {
			t.Errorf("docs/errors.md has no row for %s", want)
		}
	}
	if len(kinds) < 30 || len(reasons) < 10 {
		t.Errorf("only %d kinds and %d reasons found", len(kinds), len(reasons))
	}
}

// rows are the cells of a page's tables, as they are written.
func rows(t *testing.T, name string) (all [][]string) {
	t.Helper()
	for _, p := range pages(t) {
		if p.name != name {
			continue
		}
		p.each(t, func(n ast.Node) {
			if _, ok := n.(*extension.TableRow); !ok && n.Kind() != extension.KindTableHeader {
				return
			}
			var cells []string
			for c := n.FirstChild(); c != nil; c = c.NextSibling() {
				cells = append(cells, string(c.Lines().Value(p.source)))
			}
			all = append(all, cells)
		})
	}
	return all
}

// pieces are what a cell has in code marks.
func pieces(cell string) []string { return values(cell, "`([^`]+)`") }

// values are the first groups of all matches.
func values(text, pattern string) (all []string) {
	for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
		all = append(all, m[1])
	}
	return all
}

// production is the source of the program, tests left out.
func production(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	for _, room := range []string{"cli", "config", "executor", "guard", "rpc", "sandbox", "workspace"} {
		err := filepath.WalkDir(filepath.Join(module, room), func(p string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(p, ".go") || strings.HasSuffix(p, "_test.go") {
				return err
			}
			source, err := os.ReadFile(p)
			b.Write(source)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}
