package workspace

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/sourcegraph/conc"
	"golang.org/x/sys/unix"
)

// TestSwapBetweenResolveAndOpen hands the primitive a path that was resolved
// before the attacker put a symlink in its place.
func TestSwapBetweenResolveAndOpen(t *testing.T) {
	base := tree(t, "ws/a/b", "out/b")
	s := open(t, base+"/ws")
	if err := os.Rename(base+"/ws/a", base+"/ws/moved"); err != nil {
		t.Fatal(err)
	}
	for _, target := range []string{"../out", base + "/out", "moved", "/proc/self/cwd"} {
		link(t, target, base+"/ws/a")
		if f, err := s.folders[0].root.openDir("a/b", base+"/ws/a/b"); !errors.Is(err, errSwapped) {
			t.Errorf("through a link to %s: %v, %v", target, f, err)
		}
		if err := os.Remove(base + "/ws/a"); err != nil {
			t.Fatal(err)
		}
	}
	for _, rel := range []string{"..", "moved/../..", "/etc"} {
		if f, err := s.folders[0].root.openDir(rel, rel); !errors.Is(err, errSwapped) {
			t.Errorf("openDir(%q) = %v, %v", rel, f, err)
		}
	}
}

// TestSwapRace swaps a directory and a link to the outside as fast as it can:
// whatever Dir returns must be a directory of the workspace.
func TestSwapRace(t *testing.T) {
	base := tree(t, "ws/a", "out")
	link(t, base+"/out", base+"/ws/evil")
	s := open(t, base+"/ws")
	stop := make(chan struct{})
	var wg conc.WaitGroup
	wg.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				_ = unix.Renameat2(unix.AT_FDCWD, base+"/ws/a", unix.AT_FDCWD, base+"/ws/evil", unix.RENAME_EXCHANGE)
			}
		}
	})
	opened := 0
	for begin := time.Now(); time.Since(begin) < 200*time.Millisecond || opened == 0 && time.Since(begin) < time.Minute; {
		f, err := s.Dir("a")
		if err != nil {
			continue
		}
		opened++
		real, err := os.Readlink(filepath.Join("/proc/self/fd", itoa(f.Fd())))
		if err != nil || !Within(base+"/ws", real) {
			t.Errorf("escaped to %q, %v", real, err)
		}
		_ = f.Close()
	}
	close(stop)
	wg.Wait()
	if opened == 0 {
		t.Error("the race never let Dir through")
	}
}

func itoa(fd uintptr) string {
	s := ""
	for ; fd > 0; fd /= 10 {
		s = string(rune('0'+fd%10)) + s
	}
	return s
}

func TestFIFOsDoNotBlock(t *testing.T) {
	base := tree(t, "ws")
	for _, p := range []string{base + "/ws/fifo", base + "/root"} {
		if err := unix.Mkfifo(p, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s := open(t, base+"/ws")
	for _, cwd := range []string{"fifo", "fifo/x", "./fifo/"} {
		if _, err := s.Dir(cwd); err == nil {
			t.Errorf("Dir(%q) took a FIFO for a directory", cwd)
		}
	}
	if got, inside := s.Resolve("fifo", base+"/ws"); !inside || got != base+"/ws/fifo" {
		t.Errorf("Resolve(fifo) = %q, %v", got, inside)
	}
	if _, err := Open([]string{base + "/root"}, Options{}); err == nil {
		t.Error("a FIFO was opened as a folder")
	}
}
