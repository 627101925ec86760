package cli_test

import (
	"strings"
	"testing"

	"github.com/yuin/goldmark/ast"
)

// The README starts an editor with the lines of that editor's own page, which its
// tests are about.
func TestTheReadmeStartsEditorsAsTheirPagesDo(t *testing.T) {
	all := map[string]page{}
	for _, p := range pages(t) {
		all[p.name] = p
	}
	theirs := string(all["editors/vscode/README.md"].source) + string(all["editors/nvim/README.md"].source)
	readme, found := all["README.md"], 0
	readme.each(t, func(n ast.Node) {
		block, ok := n.(*ast.FencedCodeBlock)
		if !ok || string(block.Language(readme.source)) != "sh" {
			return
		}
		if found++; found == 1 { // the two commands, which .ci/run runs
			return
		}
		for line := range strings.Lines(readme.lines(n)) {
			if !strings.Contains(theirs, strings.TrimSpace(line)) {
				t.Errorf("README.md:%d: %s is on no editor's page", readme.line(n), strings.TrimSpace(line))
			}
		}
	})
	if found != 3 {
		t.Errorf("%d blocks of sh, want the two commands, VS Code's and Neovim's", found)
	}
}
