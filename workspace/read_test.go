package workspace

import (
	"os"
	"strings"
	"testing"
)

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestFilesOfEveryFolder(t *testing.T) {
	base := tree(t, "a", "b", "c")
	put(t, base+"/a/p", "one")
	put(t, base+"/c/p", "three")
	got := open(t, base+"/a", base+"/b", base+"/c").Files("p", 5)
	if len(got) != 2 || string(got[0].Data) != "one" || got[0].Path != base+"/a/p" || string(got[1].Data) != "three" || got[1].Err != nil {
		t.Errorf("%+v", got)
	}
}

func TestFilesRefusesWhatIsNoPlainFile(t *testing.T) {
	base := tree(t, "link", "inner", "dir/p", "big", "dangling")
	put(t, base+"/secret", "secret")
	put(t, base+"/inner/q", "inner")
	put(t, base+"/big/p", "123456")
	link(t, "../secret", base+"/link/p")
	link(t, "q", base+"/inner/p")
	link(t, "nowhere", base+"/dangling/p")
	for dir, want := range map[string]string{"link": "symlink", "inner": "symlink", "dangling": "symlink", "dir": "not a regular file", "big": "larger than 5 bytes"} {
		got := open(t, base+"/"+dir).Files("p", 5)
		if len(got) != 1 || got[0].Err == nil || !strings.Contains(got[0].Err.Error(), want) || got[0].Data != nil {
			t.Errorf("%s: %+v", dir, got)
		}
	}
}
