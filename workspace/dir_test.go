package workspace

import (
	"errors"
	"os"
	"strings"
	"testing"
)

func TestDirFindsFoldersInOrder(t *testing.T) {
	base := tree(t, "one/src", "two/src", "two/only")
	link(t, "src", base+"/one/link")
	s := open(t, base+"/one", base+"/two")
	for cwd, want := range map[string]string{
		"": "/one", ".": "/one", "src": "/one/src", "src/../src/.": "/one/src", "only": "/two/only",
		"link": "/one/src", base + "/two": "/two", base + "/two/src/": "/two/src",
		base + "/one/../two/only": "/two/only",
	} {
		f, err := s.Dir(cwd)
		if err != nil {
			t.Errorf("Dir(%q): %v", cwd, err)
			continue
		}
		info, err := f.Stat()
		if f.Name() != base+want || err != nil || !info.IsDir() {
			t.Errorf("Dir(%q) = %q, %v; want %q", cwd, f.Name(), err, base+want)
		}
		_ = f.Close()
	}
}

func TestDirOutside(t *testing.T) {
	base := tree(t, "ws/src", "ws-evil", "other/deep")
	link(t, base+"/other", base+"/ws/out")
	link(t, "/", base+"/ws/top")
	link(t, "src/../../other", base+"/ws/dots")
	s := open(t, base+"/ws")
	for _, cwd := range []string{
		"..", "../ws-evil", base + "/ws-evil", "src/../..", "/", "/etc", "/proc/self/root", "/proc/self/root/etc",
		"out", "out/deep", "out/../other", "top", "top/etc", "dots", "src/../../ws-evil", base + "/missing", "../../../../../../..",
	} {
		var outside *OutsideError
		f, err := s.Dir(cwd)
		if !errors.As(err, &outside) {
			t.Errorf("Dir(%q) = %v, %v; want OutsideError", cwd, f, err)
			continue
		}
		if outside.Path != cwd || !strings.Contains(outside.Error(), base+"/ws") {
			t.Errorf("Dir(%q): unhelpful %v", cwd, outside)
		}
	}
}

func TestDirInsideButUnusable(t *testing.T) {
	base := tree(t, "ws/src")
	if err := os.WriteFile(base+"/ws/file", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	link(t, "loop", base+"/ws/loop")
	s := open(t, base+"/ws")
	for _, cwd := range []string{"file", "missing", "missing/../..x", "file/x", "loop", "a\x00b", strings.Repeat("x", 5000), "file/../src/nothing"} {
		var outside *OutsideError
		if f, err := s.Dir(cwd); err == nil || errors.As(err, &outside) {
			t.Errorf("Dir(%.20q) = %v, %v; want a plain error", cwd, f, err)
		}
	}
}

func TestDirWithoutFolders(t *testing.T) {
	var outside *OutsideError
	if _, err := open(t).Dir(""); !errors.As(err, &outside) || !strings.Contains(err.Error(), "no folder is open") {
		t.Errorf("got %v", err)
	}
}

func TestFolderRemovedOrReplacedLater(t *testing.T) {
	base := tree(t, "ws/src", "other/src")
	s := open(t, base+"/ws")
	if err := os.Rename(base+"/ws", base+"/gone"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Dir("src"); err == nil {
		t.Error("a folder that was moved away is still usable")
	}
	link(t, "other", base+"/ws")
	for _, cwd := range []string{"", "src", base + "/ws/src"} {
		if f, err := s.Dir(cwd); err == nil {
			t.Errorf("Dir(%q) opened %s through a link put in the folder's place", cwd, f.Name())
		}
	}
	if err := os.Remove(base + "/ws"); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(base+"/ws/src", 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Dir("src"); !errors.Is(err, ErrChanged) {
		t.Errorf("a new folder under the old name: %v, want ErrChanged", err)
	}
}
