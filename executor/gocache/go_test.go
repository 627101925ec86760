package gocache

import (
	"encoding/base64"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func b64(b []byte) string { return base64.StdEncoding.EncodeToString(b) }

// golib is a package that needs nothing: building it takes no second.
func golib(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.org/lib\n\ngo 1.24\n", "lib.go": "package lib\n\nconst One = 1\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// compiled says whether go had to compile the package.
func compiled(t *testing.T, dir string, env ...string) bool {
	t.Helper()
	cmd := exec.Command("go", "build", "-x", ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), append([]string{"GOFLAGS=-mod=mod", "GOCACHEPROG="}, env...)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return strings.Contains(string(out), "compile")
}

func survey(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err == nil {
			found[p] = info.ModTime().String() + read(t, p)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// The go command itself: it begins with what was built outside, leaves that as it is, and
// keeps what it builds.
func TestGoBeginsWithTheUsersBuilds(t *testing.T) {
	dir, users, own := golib(t), t.TempDir(), t.TempDir()
	if !compiled(t, dir, "GOCACHE="+users) {
		t.Fatal("it was built before")
	}
	before := survey(t, users)
	prog := "GOCACHEPROG=" + Setting(own, users)
	if compiled(t, dir, "GOCACHE="+own, prog) {
		t.Error("what the user has built was built again")
	}
	if other := t.TempDir(); !compiled(t, dir, "GOCACHE="+other, prog) {
		t.Error("an empty cache that somebody asked for was not empty")
	}
	if err := os.WriteFile(filepath.Join(dir, "lib.go"), []byte("package lib\n\nconst Two = 2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if !compiled(t, dir, "GOCACHE="+own, prog) {
		t.Error("a change was not compiled")
	}
	if compiled(t, dir, "GOCACHE="+own, prog) {
		t.Error("what was built was not kept")
	}
	if compiled(t, dir, "GOCACHE="+own) {
		t.Error("a go that knows no GOCACHEPROG has another cache")
	}
	after := survey(t, users)
	for p, text := range after {
		if before[p] != text {
			t.Errorf("%s was changed", p)
		}
	}
	if len(before) != len(after) {
		t.Errorf("%d files are %d", len(before), len(after))
	}
}

// go stops where it can't start the program, so none is named that may not be there.
func TestAProgramThatIsNotThisOneIsNotNamed(t *testing.T) {
	for _, words := range [][2]string{{"", "/b"}, {"/a", ""}, {`/a"b`, "/b"}, {"/a", "/b\n"}} {
		if s := Setting(words[0], words[1]); s != "" {
			t.Errorf("%q: %s", words, s)
		}
	}
	if s := Setting("/a b", "/c"); !strings.HasSuffix(s, ` "serve-go-cache" "/a b" "/c"`) {
		t.Errorf("%s", s)
	}
	was := self
	defer func() { self = was }()
	self.path = filepath.Join(t.TempDir(), "pillion")
	if Program() != "" {
		t.Error("it is gone")
	}
	if err := os.WriteFile(self.path, nil, 0o700); err != nil {
		t.Fatal(err)
	}
	if Program() != "" {
		t.Error("another one is in its place")
	}
}
