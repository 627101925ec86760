package pages

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// avoided are turns of phrase that readers have to read twice. The list is short: an
// entry is here because it came back.
var avoided = []struct{ pattern, instead string }{
	// In English a person is told something; a fact is reported.
	{`\b(is|are|was|were) told( (with|as|and|once|by|at)\b|[.,;:]| *$)`, "is reported, logged, shown"},
	// Say "is". "stands for" is English. "stands for" is English.
	{`\bstands?( ([^f]|f[^o])|[^- \w])`, "is"},
	// As a subject it hides who does something.
	{`\b[Ww]hoever\b`, "you, people who, the owner of"},
	{`\b[Nn]obody's\b`, "name the one whose it is, or say that there is none"},
	// "is no X" and "is none" deny a thing where a property is meant.
	{`\b(is|are|was|were) none\b`, "is not one"},
	{`\b(is|are|was|were) no (border|error|loosening|message|proof|reason|secret|signal|terminal|text|UTF)`, "is not a"},
	// "behind" is a place. Of time it is "after".
	{`\b[Bb]ehind (the answer|the queue|its output|.initialized)`, "after"},
	// Verdicts and promises say the thing itself.
	{`\bspeaks against\b`, "allowed, denied"},
	{`\bcan be seen beforehand\b`, "clearly"},
	{`\bleaves? nothing of\b`, "ends everything that it started"},
	{`\bgit (doesn't|does not) know\b`, "untracked"},
	// Not as a question, "who" wants somebody to be named before it.
	{`(^|[.;:|)] )Who (can|has|is|keeps|knows|may|wants)\b[^?]*[.;]`, "those who, the owner of"},
}

// What users read is plain English: the pages, every text in the program, and what the
// editors and npm show, with the descriptions of settings.
func TestUsersReadPlainEnglish(t *testing.T) {
	var patterns []*regexp.Regexp
	for _, a := range avoided {
		patterns = append(patterns, regexp.MustCompile(a.pattern))
	}
	// "There is none" is as it should be.
	there := regexp.MustCompile(`\b[Tt]here('s| is| are| was| were)( left)? (none|no)\b|[Ii]f there are none\b`)
	read := 0
	judge := func(where, text string) {
		read++
		text = there.ReplaceAllString(text, "") + " "
		for i, p := range patterns {
			if found := p.FindString(text); found != "" {
				t.Errorf("%s: %q; write: %s", where, found, avoided[i].instead)
			}
		}
	}
	for _, p := range pages(t) {
		if strings.HasPrefix(p.name, "test") {
			continue // of those who test
		}
		if err := lines(filepath.Join(module, filepath.FromSlash(p.name)), judge); err != nil {
			t.Error(err)
		}
	}
	texts(t, judge)
	if read < 5000 {
		t.Errorf("only %d texts found", read)
	}
}

// texts are the strings of the program, the rows of the guard's rules, and all lines of
// what editors load and npm runs.
func texts(t *testing.T, judge func(where, text string)) {
	t.Helper()
	for _, room := range []string{"cli", "config", "executor", "guard", "rpc", "sandbox", "workspace", "editors", "packaging/npm", ".github"} {
		err := filepath.WalkDir(filepath.Join(module, room), func(p string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if d.IsDir() {
				if slices.Contains([]string{"node_modules", "out", "test", "testdata"}, d.Name()) {
					return fs.SkipDir
				}
				return nil
			}
			switch filepath.Ext(p) {
			case ".go":
				if !strings.HasSuffix(p, "_test.go") {
					return literals(p, judge)
				}
			case ".txt", ".json", ".ts", ".lua", ".el", ".vim", ".kt", ".kts", ".xml", ".js", ".mjs", ".yml":
				if d.Name() != "package-lock.json" {
					return lines(p, judge)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// lines judges a file line by line.
func lines(p string, judge func(where, text string)) error {
	source, err := os.ReadFile(p)
	for n, line := range strings.Split(string(source), "\n") {
		judge(p+":"+strconv.Itoa(n+1), line)
	}
	return err
}

// literals judges the strings of a Go file.
func literals(p string, judge func(where, text string)) error {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, p, nil, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			judge(fset.Position(lit.Pos()).String(), strings.Trim(lit.Value, "`\""))
		}
		return true
	})
	return nil
}
