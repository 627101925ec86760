package replay

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/pillion-sidecar/pillion/test/needs"
)

// noLeaks fails t if, when it and all its subtests are done, goroutines, files
// or children of this process are left that were not there before.
func noLeaks(t *testing.T) {
	t.Helper()
	before, old, ignore := openFiles(), children(), goleak.IgnoreCurrent()
	t.Cleanup(func() {
		if t.Failed() {
			return // a sidecar that was killed in the middle explains any leak
		}
		if err := needs.Leaks(ignore); err != nil {
			t.Error(err)
		}
		deadline := time.Now().Add(killGrace)
		for {
			files := grown(before, openFiles())
			// A sidecar in this process adopts orphans: a test that failed, and so
			// killed its sidecar, may have left some.
			kids := slices.DeleteFunc(children(), func(kid string) bool { return slices.Contains(old, kid) })
			if len(files)+len(kids) == 0 {
				return
			}
			if time.Now().After(deadline) {
				t.Errorf("left open: %v; children: %v", files, kids)
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
	})
}

// openFiles counts the open files of this process by what they are: pipes and
// sockets by kind, the rest by name.
func openFiles() map[string]int {
	out := map[string]int{}
	entries, _ := os.ReadDir("/proc/self/fd")
	for _, e := range entries {
		target, err := os.Readlink(filepath.Join("/proc/self/fd", e.Name()))
		if err != nil {
			continue
		}
		kind, _, _ := strings.Cut(target, ":[")
		out[kind]++
	}
	return out
}

func grown(before, after map[string]int) []string {
	var out []string
	for name, n := range after {
		if n > before[name] && !strings.HasPrefix(name, "/proc/") && name != "anon_inode" {
			out = append(out, name+" +"+strconv.Itoa(n-before[name]))
		}
	}
	return out
}

// children are the processes whose parent is this one, zombies too: each was
// started and not waited for.
func children() []string {
	var out []string
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, file := range stats {
		stat, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		_, rest, _ := strings.Cut(string(stat), ") ")
		if f := strings.Fields(rest); len(f) > 1 && f[1] == strconv.Itoa(os.Getpid()) {
			out = append(out, strings.Join(strings.Fields(string(stat))[:6], " "))
		}
	}
	return out
}
