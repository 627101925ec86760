package audit

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/sourcegraph/conc"

	"github.com/pillion-sidecar/pillion/executor"
)

func appending(t *testing.T, dir string, size int64) *logFile {
	t.Helper()
	a := newFile(dir, func(err error) { t.Error(err) })
	a.size = size
	t.Cleanup(a.close)
	return a
}

func (a *logFile) line(text string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.append([]byte(text + "\n"))
}

// kept is the text of all files, oldest first.
func kept(t *testing.T, a *logFile) string {
	t.Helper()
	var all []byte
	for i := maxAuditFiles; i >= 0; i-- {
		data, err := os.ReadFile(a.numbered(i))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		if int64(len(data)) > a.size {
			t.Errorf("%s has %d bytes", a.numbered(i), len(data))
		}
		all = append(all, data...)
	}
	return string(all)
}

func TestAuditFilesArePrivate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "audit")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	a := appending(t, dir, 10)
	a.line("first")
	a.line("second")
	for path, want := range map[string]os.FileMode{dir: 0o700, a.numbered(0): 0o600, a.numbered(1): 0o600, filepath.Join(dir, "lock"): 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", path, info, err)
		}
	}
}

func TestAuditFilesHaveABound(t *testing.T) {
	a := appending(t, t.TempDir(), 100)
	for i := range 1000 {
		a.line(fmt.Sprintf("%040d", i))
	}
	text := kept(t, a)
	if !strings.HasSuffix(text, fmt.Sprintf("%040d\n", 999)) || strings.Count(text, "\n") != 2*maxAuditFiles {
		t.Errorf("%q", text)
	}
	if entries, _ := os.ReadDir(a.dir); len(entries) != maxAuditFiles+1 {
		t.Errorf("%v", entries)
	}
}

// Several sidecars write at once, and each moves the full file out of the way.
func TestSeveralSidecarsShareTheAuditLog(t *testing.T) {
	dir := t.TempDir()
	const sidecars, lines = 8, 200
	var scope conc.WaitGroup
	for n := range sidecars {
		a := appending(t, dir, 40_000)
		scope.Go(func() {
			for i := range lines {
				a.line(fmt.Sprintf("<%d %d %s>", n, i, strings.Repeat("x", i%100)))
			}
		})
	}
	scope.Wait()
	seen := map[string]int{}
	all := appending(t, dir, 80_000)
	for line := range strings.Lines(kept(t, all)) {
		if !strings.HasPrefix(line, "<") || !strings.HasSuffix(line, ">\n") {
			t.Fatalf("torn: %q", line)
		}
		seen[line]++
	}
	if len(seen) != sidecars*lines {
		t.Errorf("%d lines of %d", len(seen), sidecars*lines)
	}
	if _, err := os.Stat(all.numbered(1)); err != nil {
		t.Error("nothing was rotated")
	}
}

// A file that somebody moved or removed is begun anew.
func TestAnAuditFileThatIsGoneIsMadeAgain(t *testing.T) {
	a := appending(t, t.TempDir(), 1000)
	a.line("one")
	if err := os.Rename(a.numbered(0), filepath.Join(a.dir, "mine")); err != nil {
		t.Fatal(err)
	}
	a.line("two")
	if err := os.RemoveAll(a.dir); err != nil {
		t.Fatal(err)
	}
	a.line("three")
	if text := kept(t, a); text != "three\n" {
		t.Errorf("%q", text)
	}
}

// The one that holds the lock may have been stopped: the others write on, up to a
// bound.
func TestAnAuditLogWhoseLockIsHeld(t *testing.T) {
	dir := t.TempDir()
	lock, err := soleLock(filepath.Join(dir, "lock"))
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	var failed sync.Once
	a := newFile(dir, func(error) { failed.Do(func() {}) })
	a.size = 100
	t.Cleanup(a.close)
	for range 100 {
		a.line(strings.Repeat("x", 19))
	}
	info, err := os.Stat(a.numbered(0))
	if written, lost := a.counts(); err != nil || info.Size() > 2*a.size+20 || written+lost != 100 || lost == 0 {
		t.Errorf("%v %v, %d written, %d lost", info.Size(), err, written, lost)
	}
}

// A disk that was full in the middle of a line spoils that line only.
func TestALineThatWasCutSpoilsNoOther(t *testing.T) {
	a := appending(t, t.TempDir(), 1000)
	a.line("one")
	if _, err := a.f.WriteString("hal"); err != nil {
		t.Fatal(err)
	}
	a.torn = true
	a.line("two")
	a.line("three")
	if data, _ := os.ReadFile(a.numbered(0)); !bytes.Equal(data, []byte("one\nhal\ntwo\nthree\n")) {
		t.Errorf("%q", data)
	}
}

func BenchmarkAuditLine(b *testing.B) {
	a := newFile(b.TempDir(), func(err error) { b.Error(err) })
	defer a.close()
	log := &Log{file: a}
	for b.Loop() {
		l := Line{Event: "exec", ExecID: "a", Cwd: "/w/project", Mode: "workspace-write", Network: "deny", PID: 4711}
		l.text(executor.Text{Command: "cd sub && go test ./... | tail -n 20"})
		log.write(l)
	}
}
