package refs

import (
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// What a directory held is taken for what it holds only while it holds that: also where its
// time is set back, and where a name comes to stand for something of another kind.
func TestADirectoryIsReadAgainOnceItHasChanged(t *testing.T) {
	dir, was := t.TempDir(), time.Unix(1, 0)
	kinds := func(list []fs.DirEntry) (out string) {
		for _, e := range list {
			out += e.Name() + " " + e.Type().String() + "\n"
		}
		return out
	}
	var hits int
	for i := range 300 {
		name, other := filepath.Join(dir, strconv.Itoa(rand.IntN(5))), filepath.Join(dir, strconv.Itoa(rand.IntN(5)))
		switch rand.IntN(5) {
		case 0:
			_ = os.WriteFile(name, nil, 0o600)
		case 1:
			_ = os.Mkdir(name, 0o700)
		case 2:
			_ = os.RemoveAll(name)
		case 3:
			_ = os.Rename(name, other)
		case 4:
			_ = unix.Renameat2(unix.AT_FDCWD, name, unix.AT_FDCWD, other, unix.RENAME_EXCHANGE)
		}
		if err := os.Chtimes(dir, was, was); err != nil {
			t.Fatal(err)
		}
		if i%20 == 0 { // what is younger than a tick of the clock is not kept
			time.Sleep(clockTick + clockTick/4)
			_, _ = readDir(dir)
			s, sure := stampOfDir(dir)
			if _, hit := kept.get(dir, s); hit && sure {
				hits++
			}
		}
		want, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := readDir(dir); err != nil || kinds(got) != kinds(want) {
			t.Fatalf("%v: %q, want %q", err, kinds(got), kinds(want))
		}
	}
	if hits == 0 {
		t.Error("nothing was kept")
	}
}
