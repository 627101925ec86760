package protect

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pillion-sidecar/pillion/test/needs"
)

// What git reads of a file is what we read, in every way that a setting can be written.
func TestSettingsAreListedAsGitListsThem(t *testing.T) {
	needs.Program(t, "git")
	file := filepath.Join(t.TempDir(), "config")
	for _, text := range []string{
		"", "[core]\n\thooksPath = .husky\n", "[Core]HooksPath=a b ;c\n[core] x\n[core]y", "[a \"B \\\" \\\\ c\"]\n k-1 = \"v ; w\" # no\n",
		"[a]k = one\\\n two\nl = \"q\" r \"s  \"  \n", "[a.B]k=1\n", "\ufeff[a]\r\nk = v\r\nl\r\n", "[a]k=\\t\\n\\b\\\\\\\"x\n", "; c\n# d\n[a] ; e\nk=v#w\n",
		"[a]k=v\n[b\nc=d\n", "[a]k=v\n\"x\n", "[a]k=\"open\nl=m\n", "[a]k v\nl=m\n", "[a]k=\\q\n", "k=v\n[a]l=m\n", "[a \"x\"y]k=v\n", "[a \"x\ny\"]k=v\n", "[a]1=2\n", "[a]k=  \n",
		"[include]path=~/x\n[includeIf \"gitdir:a/\"]path = ../y\n[alias]z = \"!f() { a; }; f\"\n", "[a]\nk = v \\\n", "[a]k=a\tb\n", "[a-b.C.d \"e\"]k=v\n",
	} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command("git", "config", "--file", file, "--no-includes", "--list", "-z").Output()
		if err != nil {
			continue // git obeys none of it
		}
		var got strings.Builder
		for _, s := range ListConfig(text) {
			name := strings.TrimPrefix(s.String(), ".")
			fmt.Fprintf(&got, "%s\n%s\x00", name, s.Value)
		}
		// git gives no value where a name is alone; for git it is true.
		want := strings.Builder{}
		for row := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
			if row != "" && !strings.Contains(row, "\n") {
				row += "\ntrue"
			}
			if row != "" {
				want.WriteString(row + "\x00")
			}
		}
		// Versions of git differ in what blanks of a value they keep.
		plain := func(s string) string { return strings.ReplaceAll(strings.ReplaceAll(s, "\t", " "), " \x00", "\x00") }
		if plain(got.String()) != plain(want.String()) {
			t.Errorf("%q:\n git %q\n we  %q", text, want.String(), got.String())
		}
	}
}
