package arch

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the figures of docs/boundary.md")

const boundaryPage = module + "/docs/boundary.md"

// rungSystems is on which system a rung is.
var rungSystems = map[string]string{
	"full": "linux", "no-userns": "linux", "no-landlock": "linux", "seatbelt": "darwin",
	"write-restricted": "windows", "low-integrity": "windows",
}

// notHolding are the rooms of the page's table that hold nothing on a rung: the canary,
// and what is for one promise only.
var notHolding = []string{"sandbox/canary", "sandbox/assess", "sandbox/lookups", "sandbox/egress", "executor/keys", "executor/refs"}

var roomRow = regexp.MustCompile("(?m)^- `((?:sandbox|executor)[a-z/]*)`: ")

var rungRow = regexp.MustCompile("(?m)^(\\| `([a-z-]+)` \\| [^|\n]+ \\|([^|\n]*)\\|)([^|\n]*)\\|$")

// What has to be right is named with how much it is, and no room of the sandbox is left
// out.
func TestTheBoundaryPageCounts(t *testing.T) {
	page, err := os.ReadFile(boundaryPage)
	if err != nil {
		t.Fatal(err)
	}
	var listed []string
	for _, m := range roomRow.FindAllSubmatch(page, -1) {
		listed = append(listed, string(m[1]))
	}
	there := map[string]bool{}
	lines := map[string]map[string]int{}
	for _, goos := range []string{"linux", "darwin", "windows"} {
		lines[goos] = roomLines(t, goos)
		for name := range lines[goos] {
			there[name] = true
		}
	}
	if all := slices.Sorted(maps.Keys(there)); !slices.Equal(slices.Sorted(slices.Values(listed)), all) {
		t.Errorf("%s lists the rooms\n%q, not\n%q", boundaryPage, listed, all)
	}
	rungs := 0
	current := rungRow.ReplaceAllFunc(page, func(row []byte) []byte {
		m := rungRow.FindSubmatch(row)
		rungs++
		sum := 0
		for name, n := range lines[rungSystems[string(m[2])]] {
			without := bytes.Contains(m[3], []byte("`"+name+"`"))
			if !without && !slices.Contains(notHolding, name) {
				sum += n
			}
		}
		return append(m[1], figure(t, "rung "+string(m[2]), m[4], sum)...)
	})
	if rungs != len(rungSystems) {
		t.Errorf("%d rungs in the table, not %d", rungs, len(rungSystems))
	}
	if *update {
		if err := os.WriteFile(boundaryPage, current, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// figure is a cell of the table. What is there may be somewhat off: a page that changes
// with every line of code says nothing new.
func figure(t *testing.T, what string, cell []byte, lines int) string {
	had, _ := strconv.Atoi(strings.ReplaceAll(strings.TrimSpace(string(cell)), ",", ""))
	if off := max(had-lines, lines-had); off > max(50, lines/10) && !*update {
		t.Errorf("%s: %s has %d lines, not %d; run make generate", boundaryPage, what, lines, had)
	}
	rounded := (lines + 5) / 10 * 10
	return fmt.Sprintf(" %d,%03d |", rounded/1000, rounded%1000)
}

// roomLines counts what the sandbox consists of on one system, and what the page names
// beside it.
func roomLines(t *testing.T, goos string) map[string]int {
	t.Helper()
	count := map[string]int{}
	for _, p := range list(t, goos, "./sandbox", "./sandbox/egress", "./executor/keys", "./executor/refs") {
		name, ours := room(p.ImportPath)
		if !ours || !within(name, "sandbox") && name != "executor/keys" && name != "executor/refs" {
			continue
		}
		if name == "sandbox/wintoken" && goos != "windows" {
			continue // elsewhere it only tells a batch file by its name
		}
		for _, f := range p.GoFiles {
			text, err := os.ReadFile(filepath.Join(p.Dir, f))
			if err != nil {
				t.Fatal(err)
			}
			count[name] += bytes.Count(text, []byte("\n"))
		}
	}
	return count
}

var stepRow = regexp.MustCompile("(?m)^\\d+\\. `([a-z_ ]+)`: ")

// The page lists the steps in which a runner gives up its rights as the code takes them.
func TestTheBoundaryPageListsTheSteps(t *testing.T) {
	page, err := os.ReadFile(boundaryPage)
	if err != nil {
		t.Fatal(err)
	}
	var told, taken []string
	for _, m := range stepRow.FindAllSubmatch(page, -1) {
		told = append(told, string(m[1]))
	}
	funcs := map[string]*ast.FuncDecl{}
	for _, s := range sources(t) {
		if s.path != "sandbox/inside/runner_linux.go" {
			continue
		}
		for _, d := range s.file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				funcs[f.Name.Name] = f
			}
		}
	}
	for _, first := range []string{"confine", "runnerMain"} {
		taken = append(taken, steps(funcs, first)...)
	}
	if len(taken) < 20 || !slices.Equal(told, taken) {
		t.Errorf("%s has the steps\n%q, the code\n%q", boundaryPage, told, taken)
	}
}

// steps are the names of a function's stages, in order, with those of what it calls: the
// first result of a return, and the first argument of fail.
func steps(funcs map[string]*ast.FuncDecl, name string) []string {
	var all []string
	named := func(e ast.Expr) {
		if l, ok := e.(*ast.BasicLit); ok && l.Value != `""` {
			all = append(all, strings.Trim(l.Value, `"`))
		}
	}
	ast.Inspect(funcs[name], func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ReturnStmt:
			if len(n.Results) == 2 {
				named(n.Results[0])
			}
		case *ast.CallExpr:
			called := exprName(n.Fun)
			called = called[strings.LastIndex(called, ".")+1:]
			if called == "fail" {
				named(n.Args[0])
			}
			if slices.Contains([]string{"giveUpRights", "setup", "restrict"}, called) {
				all = append(all, steps(funcs, called)...)
			}
		}
		return true
	})
	return all
}
