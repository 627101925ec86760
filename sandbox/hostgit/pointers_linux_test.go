package hostgit

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

// Whatever git would run or read is found, from a folder that is the work tree and from
// one that is a directory of it.
func TestPointersOfEverySpelling(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	for _, set := range [][2]string{
		{"include.path", "../sub/n/f"},
		{"includeIf.onbranch:other.path", "../sub/n/f"},
		{"core.attributesFile", "sub/n/f"},
		{"remote.o.uploadpack", "sub/n/f"},
		{"remote.o.receivepack", "sub/n/f --strict"},
		{"submodule.s.update", "!sub/n/f"},
		{"alias.x", "!sub/n/f"},
		{"alias.x", "!cd sub; n/f"},
		{"alias.x", "!cd sub && cd n && ./f"},
		{"alias.x", `!"$(git rev-parse --show-toplevel)/sub/n/f"`},
		{"alias.x", "!$GIT_WORK_TREE/sub/n/f"},
		{"alias.x", "!sh ${PWD}/sub/n/f"},
		{"filter.x.clean", "env A=1 sub/n/f"},
		{"diff.x.textconv", "python3 -m sub.n.f"},
	} {
		top, err := filepath.EvalSymlinks(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		sub, file := filepath.Join(top, "sub"), filepath.Join(top, "sub/n/f")
		if set[1] == "python3 -m sub.n.f" {
			file += ".py"
		}
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{"init", "-q"}, {"config", set[0], set[1]}} {
			if out, err := exec.Command("git", append([]string{"-C", top}, args...)...).CombinedOutput(); err != nil {
				t.Fatalf("%q: %v\n%s", args, err, out)
			}
		}
		for _, root := range []string{top, sub} {
			if found := new(Pointers).Below([]string{root}); !slices.Contains(found, file) {
				t.Errorf("%s = %s from %s: %q", set[0], set[1], root[len(top):], found)
			}
		}
	}
}
