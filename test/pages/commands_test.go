package pages

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/yuin/goldmark/ast"

	"github.com/pillion-sidecar/pillion/cli"
)

// shells are what runs the blocks of sh that a page has, or says that nothing can.
var shells = map[string]string{
	"README.md":                   "test/pages/readme_test.go",
	"docs/agents.md":              "test/agents/main.go",
	"docs/install.md":             "packaging/check",
	"docs/network.md":             "testdata/cli/forward.txt",
	"docs/releasing.md":           ".github/workflows/release.yml",
	"docs/remote.md":              "test/ssh/shell.test.mjs",
	"editors/jetbrains/README.md": "editors/jetbrains/test/manual.txt",
	"editors/nvim/README.md":      "editors/nvim/test/spec/load_spec.lua",
	"editors/vim/README.md":       "editors/vim/test/run",
}

// Blocks of console are run by TestTheExamplesOfThePagesAreTrue. Those of sh install
// something, need an editor or a network: a test elsewhere runs them, and names the page.
func TestEveryShellBlockIsRunSomewhere(t *testing.T) {
	found := map[string]bool{}
	for _, p := range pages(t) {
		p.each(t, func(n ast.Node) {
			if block, ok := n.(*ast.FencedCodeBlock); ok && string(block.Language(p.source)) == "sh" {
				found[p.name] = true
			}
		})
	}
	for name := range found {
		source, err := os.ReadFile(filepath.Join(module, filepath.FromSlash(shells[name])))
		if err != nil || shells[name] == "" {
			t.Errorf("%s has a block of sh, and nothing is known to run it: %v", name, err)
			continue
		}
		if page := filepath.Base(name); !strings.Contains(string(source), page) {
			t.Errorf("%s does not name %s, whose commands it should run", shells[name], page)
		}
	}
	for name := range shells {
		if !found[name] {
			t.Errorf("%s has no block of sh", name)
		}
	}
}

// Wherever a page names a command line of ours, it is one that the program takes.
func TestTheProgramTakesTheCommandsOfThePages(t *testing.T) {
	found := 0
	for _, p := range pages(t) {
		p.each(t, func(n ast.Node) {
			for _, line := range shown(p, n) {
				if found++; !taken(line) {
					t.Errorf("%s:%d: there is no %q", p.name, p.line(n), line)
				}
			}
		})
	}
	if found < 100 {
		t.Errorf("only %d command lines found", found)
	}
}

// shown are the lines of a block, or the text in code marks, that begin with our name.
func shown(p page, n ast.Node) (all []string) {
	var text string
	switch n := n.(type) {
	case *ast.FencedCodeBlock:
		text = p.lines(n)
	case *ast.CodeSpan:
		for c := n.FirstChild(); c != nil; c = c.NextSibling() {
			text += string(c.(*ast.Text).Value(p.source))
		}
	}
	for line := range strings.Lines(text) {
		line = strings.TrimPrefix(strings.TrimSpace(line), "$ ")
		if strings.HasPrefix(line, "pillion ") || strings.HasPrefix(line, "pillion-mcp ") {
			all = append(all, line)
		}
	}
	return all
}

// taken says whether the program knows a line's subcommand and options. Some code spans
// are what it prints: they have no option and no subcommand.
func taken(line string) bool {
	fields := strings.Fields(line)
	if end := slices.IndexFunc(fields, func(f string) bool { return strings.Trim(f, "…#|;'\"$&<>") == "" || f == "--" }); end >= 0 {
		fields = fields[:end]
	}
	var root *cobra.Command
	for _, c := range cli.Commands() {
		if c.Name() == fields[0] {
			root = c
		}
	}
	c, rest, err := root.Find(fields[1:])
	if err != nil {
		return false
	}
	c.InitDefaultHelpFlag()
	return c.ParseFlags(rest) == nil
}
