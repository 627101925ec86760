package refs

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Who has mapped a file and written to it once changes it on, while its times stay as they
// are. What another command's look has found meanwhile is not what is there at the end.
func TestAMappedFileIsNotWhatAnotherCommandSaw(t *testing.T) {
	t.Parallel()
	for name, swap := range map[string]func(t *testing.T, dir string) (old, bad string){
		"index": func(*testing.T, string) (string, string) { return "xenvrc", ".envrc" },
		"refs/heads/other": func(t *testing.T, dir string) (string, string) {
			return strings.TrimSpace(git(t, dir, "git rev-parse other")), strings.TrimSpace(git(t, dir, evil+"evil main"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := project(t)
			git(t, dir, "echo x >xenvrc; git add xenvrc; git commit -qm four")
			old, bad := swap(t, dir)
			file := filepath.Join(dir, ".git", name)
			waitFor(t, func() bool { _, sure := stampOf(file); return sure })
			kept := t.TempDir()
			first := Look([]string{dir}, dir, kept, Sight{})
			mapped := mapFile(t, file)
			at := bytes.Index(mapped, []byte(old))
			copy(mapped[at:], old)
			written, _ := stampOf(file)
			waitFor(t, func() bool { _, sure := stampOf(file); return sure })
			if found := Look([]string{dir}, dir, kept, Sight{}).Judge(run); len(found) > 0 {
				t.Fatalf("%+v", found)
			}
			copy(mapped[at:], bad)
			if now, _ := stampOf(file); now != written {
				t.Log("this kernel changes the times") // and shows the change
			}
			if found := first.Judge(run); len(found) == 0 {
				t.Error("nothing was found")
			}
		})
	}
}

func mapFile(t *testing.T, file string) []byte {
	t.Helper()
	f, err := os.OpenFile(file, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	mapped, err := unix.Mmap(int(f.Fd()), 0, int(info.Size()), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Munmap(mapped) })
	return mapped
}

func waitFor(t *testing.T, done func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !done(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it did not come")
		}
	}
}
