package journal

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// Store holds the entries of one workspace.
type Store struct {
	dir   string
	Roots []string // what may be changed by an undo
}

// Open returns the store below a directory of the sidecar's.
func Open(dir string, roots []string) *Store { return &Store{dir: dir, Roots: roots} }

// Item is one entry.
type Item struct {
	Name   string // sorts by the time at which the command began
	Meta   []byte
	Ended  time.Time // zero: it was cut off, or still runs
	Counts Counts
}

// List are the entries, the newest first.
func (s *Store) List() ([]Item, error) {
	names, err := s.names()
	if err != nil {
		return nil, err
	}
	var items []Item
	for _, name := range slices.Backward(names) {
		item := Item{Name: name}
		item.Meta, _ = os.ReadFile(filepath.Join(s.dir, name, metaName)) // what was cut off has none
		if log, err := os.Open(filepath.Join(s.dir, name, logName)); err == nil {
			if r, ok := last(log); ok {
				item.Ended, item.Counts = time.Unix(0, r.end), r.Counts
			}
			_ = log.Close()
			items = append(items, item)
		}
	}
	return items, nil
}

func (s *Store) names() ([]string, error) {
	entries, err := os.ReadDir(s.dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names, err
}

// last is the record that ends a log. After it there is what an undo has put back.
func last(log *os.File) (r record, ok bool) {
	info, err := log.Stat()
	if err != nil {
		return r, false
	}
	const tail = 4096
	buf := make([]byte, min(info.Size(), tail))
	if _, err := log.ReadAt(buf, info.Size()-int64(len(buf))); err != nil && !errors.Is(err, io.EOF) {
		return r, false
	}
	for line := range bytes.Lines(buf) {
		if line[0] == byte(ended) {
			if got, err := parse(bytes.TrimSpace(line)); err == nil {
				r, ok = got, true
			}
		}
	}
	return r, ok
}

// Change is one thing that a command did to a name.
type Change struct {
	Kind  string // created, modified, deleted or renamed
	Path  string
	To    string // of what was renamed
	Why   string // it can't be undone
	Kept  string // where what was there is now, "" where nothing is
	Bytes int64  // what was there
}

var changeNames = map[kind]string{
	created: "created", linked: "created", removed: "deleted", rmdir: "deleted", renamed: "renamed", exchange: "renamed",
	written: "modified", mode: "modified", attr: "modified",
}

// Changes are what an entry holds, in the order in which it was done; f returns false
// to see no more.
func (s *Store) Changes(name string, f func(Change) bool) error {
	log, err := os.Open(filepath.Join(s.dir, name, logName))
	if err != nil {
		return err
	}
	defer log.Close()
	more := true
	return eachDone(log, func(r record) {
		what := changeNames[r.kind]
		if what == "" || !more {
			return
		}
		c := Change{Kind: what, Path: r.path, To: r.to, Why: r.why, Bytes: r.info.Size}
		if r.kind == exchange || r.kind == rmdir {
			c.Bytes = 0
		}
		if r.kind == attr {
			c.To = ""
		} else if r.kept != "" && r.kind != rmdir {
			c.Kept = filepath.Join(s.dir, name, r.kept)
		}
		more = f(c)
	})
}

// Trim removes the oldest entries: those that are older than age, and those above most
// bytes together. One that still runs stays, and all that an undo may be reading.
func (s *Store) Trim(most int64, age time.Duration) error {
	unlock, alone := s.tryLock()
	defer unlock()
	if !alone {
		return nil // it would take what is gone for what is back
	}
	names, err := s.names()
	var sum int64
	for _, name := range slices.Backward(names) { // also what was killed before it had a log
		counts, _ := s.Counts(name)
		sum += counts.Bytes
		began := time.Unix(0, beginOf(name))
		if sum <= most && time.Since(began) <= age || s.runs(name) {
			continue
		}
		err = errors.Join(err, os.RemoveAll(filepath.Join(s.dir, name)))
	}
	return err
}

// Counts are those of an entry that has ended.
func (s *Store) Counts(name string) (Counts, bool) {
	log, err := os.Open(filepath.Join(s.dir, name, logName))
	if err != nil {
		return Counts{}, false
	}
	defer log.Close()
	r, ok := last(log)
	return r.Counts, ok
}
