package refs

import "testing"

// git takes such names from an index, and makes them for nobody.
func TestNamesThatGitGivesToNothingAreOdd(t *testing.T) {
	for _, name := range []string{
		".git/hooks/post-checkout", ".GIT/config", "sub/.git/hooks/x", "a//b", "/etc/x", "a/", "./.vscode/tasks.json", "x/../y", "..",
		"git~1/hooks/x", "GIT~2/config", ".g\u200cit/config", "\u200c.git/hooks/x",
	} {
		if !odd(name) {
			t.Errorf("%q passes", name)
		}
	}
	for _, name := range []string{"a/b", ".gitignore", ".github/workflows/ci.yml", "git/x", "legit~1/x", ".gitmodules", "a/.config/x", "é/ü", "x~"} {
		if odd(name) {
			t.Errorf("%q does not", name)
		}
	}
}
