package journal

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// two are commands a and b at the same time, in one workspace.
type two struct {
	*testing.T
	ws  string
	dir int // of ws
	of  map[string]*Entry
}

func (c two) must(err error) {
	c.Helper()
	if err != nil {
		c.Fatal(err)
	}
}

func (c two) open(path string, flags int) int {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC|flags, 0)
	c.must(err)
	c.Cleanup(func() { _ = unix.Close(fd) })
	return fd
}

// do is one call of a command: "a write notes", "b remove notes", "a move notes n2"; a
// person's has no entry.
func (c two) do(call string) {
	c.Helper()
	f := append(strings.Fields(call), "")
	e, file := c.of[f[0]], filepath.Join(c.ws, f[2])
	if e == nil {
		e = NewEntry(c.open(c.TempDir(), 0), "person", nil, Bounds{})
	}
	_, missing := os.Lstat(file)
	switch {
	case f[1] == "remove":
		c.must(e.Removing(c.dir, c.ws, f[2], Host(c.dir, c.ws)))
		c.must(os.Remove(file))
	case f[1] == "move":
		to := filepath.Join(c.ws, f[3])
		c.must(e.Removing(c.dir, c.ws, f[3], Host(c.dir, c.ws)))
		c.must(e.Renaming(c.dir, file, c.dir, to))
		c.must(os.Rename(file, to))
	case f[1] == "open": // for writing, and nothing is written
		time.Sleep(20 * time.Millisecond) // change times differ
		c.must(e.Writing(c.open(file, 0), file, 1))
	case missing != nil:
		c.must(e.Touch(c.dir, c.ws))
		c.must(os.WriteFile(file, []byte(f[0]), 0o600))
		c.must(e.Created(c.dir, c.ws, f[2]))
	default:
		c.must(e.Writing(c.open(file, 0), file, 1))
		c.must(os.WriteFile(file, []byte(f[0]), 0o600))
	}
}

// What two commands at the same time destroyed comes back in any order of undo, and is
// never in the journal only, where no undo leads to it.
func TestWhatTwoCommandsDestroyedComesBackInAnyOrder(t *testing.T) {
	for _, calls := range []string{
		"a write notes, b remove notes, a write notes",
		"a write notes, b remove notes",
		"a write notes, b remove notes, b write notes, a write notes",
		"a write notes, b write n2, b move n2 notes, a write notes",
		"a write notes, b remove notes, a write n2, a move n2 notes",
		"a move notes n2, b write n2, a move n2 n3",
		"a move notes n2, b write notes, b remove n2",
		"a move notes n2, a write notes, b remove notes, a remove n2",
		"a open notes, a write notes, b open notes",
	} {
		for _, order := range []string{"ab", "ba", "aba", "bab"} {
			back(t, calls, order, true)
			back(t, calls, order, false)
		}
	}
}

func back(t *testing.T, calls, order string, force bool) {
	t.Helper()
	c, base := two{T: t, ws: t.TempDir()}, t.TempDir()
	notes := filepath.Join(c.ws, "notes")
	c.dir = c.open(c.ws, unix.O_DIRECTORY)
	c.must(os.WriteFile(notes, []byte("original"), 0o600))
	began, at := time.Now(), c.open(base, unix.O_DIRECTORY)
	c.of = map[string]*Entry{
		"a": NewEntry(at, NewName(began, "a"), nil, DefaultBounds()),
		"b": NewEntry(at, NewName(began.Add(time.Millisecond), "b"), nil, DefaultBounds()),
	}
	for call := range strings.SplitSeq(calls, ", ") {
		c.do(call)
	}
	for _, e := range c.of {
		c.must(e.End(Host(c.dir, c.ws)))
	}
	s := Open(base, []string{c.ws})
	var results []Result
	undone := []string{}
	undo := func(name string) {
		if _, err := os.Stat(filepath.Join(base, name)); err != nil {
			return // all of it has gone
		}
		out := NewName(began.Add(time.Duration(2+len(undone))*time.Millisecond), "undo")
		r, err := s.Undo(name, Options{Force: force, Name: out})
		c.must(err)
		results, undone = append(results, r), append(undone, out)
	}
	original := func() bool {
		text, _ := os.ReadFile(notes)
		return string(text) == "original"
	}
	for i, who := range strings.Split(order+order, "") {
		if i < len(order) || !original() { // one waits for the other
			undo(c.of[who].name)
		}
	}
	if force && !original() { // what was there was put aside: the undo is undone
		undo(undone[len(undone)-1])
	}
	if !original() {
		names, _ := filepath.Glob(filepath.Join(c.ws, "*"))
		t.Errorf("%s; undo %s, force %v: notes is one of %q: %+v", calls, order, force, names, results)
	}
}

// A folder may be open by itself and in another one, and each keeps its own commands: what one
// undo puts back is as the other's command left it.
func TestWhatCommandsOfNestedWorkspacesDestroyedComesBack(t *testing.T) {
	c, base := two{T: t, ws: t.TempDir()}, t.TempDir()
	notes := filepath.Join(c.ws, "notes")
	c.dir = c.open(c.ws, unix.O_DIRECTORY)
	c.must(os.WriteFile(notes, []byte("original"), 0o600))
	began := time.Now()
	for i, who := range []string{"a", "b"} {
		store := filepath.Join(base, who)
		c.must(os.Mkdir(store, 0o700))
		name := NewName(began.Add(time.Duration(i)*time.Millisecond), who)
		c.of = map[string]*Entry{who: NewEntry(c.open(store, unix.O_DIRECTORY), name, nil, DefaultBounds())}
		c.do(who + " write notes")
		c.must(c.of[who].End(Host(c.dir, c.ws)))
		defer func() {
			out := NewName(began.Add(time.Duration(9-i)*time.Millisecond), "undo")
			r, err := Open(store, []string{c.ws}).Undo(name, Options{Name: out})
			text, _ := os.ReadFile(notes)
			if want := []string{"original", "a"}[i]; err != nil || string(text) != want {
				t.Errorf("undo of %s: %q, want %q: %+v %v", who, text, want, r, err)
			}
		}()
	}
}
