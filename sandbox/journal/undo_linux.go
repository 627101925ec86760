package journal

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/files"
)

// Supported says whether what commands change is kept on this system.
const Supported = true

// undo takes one entry back.
type undo struct {
	store   *Store
	opts    Options
	entry   *os.File // its directory
	began   int64    // its meta was written then, by the clock that change times are of
	end     int64
	cutOff  bool // the command's end was not written: it was killed with us
	out     *Entry
	known   map[stamp]stamp        // what change times stand for that undos gave
	fresh   []record               // what is still to be written of this
	half    map[files.ID][]half    // what undos that were killed were about to change
	making  string                 // what such an undo was about to make
	touched map[string]Info        // directories before such undos
	final   map[files.ID]Info      // directories whose mode the command changed, in its end
	instead map[files.ID][]standIn // what was made anew for something that is gone, by any undo since
	moved   map[files.ID][]string  // where any command or undo since has moved something to
	shut    map[string]Info        // directories that were entered, as they were
	theirs  map[stamp]bool         // what somebody else has left while the command ran
	wrote   map[files.ID]int64     // since when another command did
	own     owned                  // what the command made; nil where that is not known
	back    map[stamp]int          // what undos before have put back for records that are still to come
	put     []record               // what this step has put back
	placed  map[stamp]bool         // what this entry, of an undo, has put back
	took    map[string]bool        // names that were taken away here
	used    map[string]bool        // git directories: whether others have changed something in one
	touches map[files.ID]bool      // what records are about; where repositories are, see needed
	shares  map[string][]record    // what the command wrote to in the directories of programs, see shared
	view    *node                  // of a dry run: /
	stuck   map[string]bool        // paths that are not as the next record expects them
	void    int64                  // how many of the next records the kernel refused
	Result
}

// Undo takes back what an entry holds. Files that it leaves stay in the entry, so it may
// be called again.
func (s *Store) Undo(name string, o Options) (Result, error) {
	if s.runs(name) {
		return Result{}, ErrRuns
	}
	dir := filepath.Join(s.dir, name)
	entry, err := os.Open(dir)
	if err != nil {
		return Result{}, err
	}
	defer entry.Close()
	if _, err := os.Stat(filepath.Join(dir, logName)); errors.Is(err, os.ErrNotExist) {
		return Result{Entry: o.Name}, nil // killed before its first record, so before its first change
	}
	rest, err := newRest(dir, o.DryRun)
	if err != nil {
		return Result{}, err
	}
	defer rest.close()
	log, err := os.Open(filepath.Join(dir, logName))
	if err != nil {
		return Result{}, err
	}
	defer log.Close()
	info, err := log.Stat()
	if err != nil {
		return Result{}, err
	}
	base, err := os.Open(s.dir)
	if err != nil {
		return Result{}, err
	}
	defer base.Close()
	u := &undo{
		store: s, opts: o, entry: entry, end: time.Now().UnixNano(), known: map[stamp]stamp{}, final: map[files.ID]Info{}, stuck: map[string]bool{},
		instead: map[files.ID][]standIn{}, moved: map[files.ID][]string{}, took: map[string]bool{}, theirs: map[stamp]bool{}, wrote: map[files.ID]int64{}, back: map[stamp]int{}, placed: map[stamp]bool{}, shut: map[string]Info{},
		half: map[files.ID][]half{}, touched: map[string]Info{}, used: map[string]bool{}, touches: map[files.ID]bool{}, shares: map[string][]record{},
	}
	if o.DryRun {
		u.view = &node{real: "/"}
	}
	if r, ok := last(log); ok {
		u.end = r.end
	} else {
		u.cutOff = true
	}
	if err := u.since(name); err != nil {
		return Result{}, err
	}
	if strings.HasPrefix(filepath.Base(u.making), carried) && !o.DryRun {
		if p, err := s.find(u.making); err == nil {
			_ = unix.Unlinkat(p.dir, p.name, 0) // or it has its name
			p.close()
		}
	}
	u.out = NewEntry(int(base.Fd()), o.Name, o.Meta, Bounds{})
	var failed error
	err = backwards(log, info.Size(), func(r record, at int64) {
		var left bool
		if failed == nil {
			left, failed = u.step(r)
			for _, put := range u.put {
				failed = errors.Join(failed, rest.add(put, at, false, false))
			}
			u.put = u.put[:0]
			failed = errors.Join(failed, rest.add(r, at, left || failed != nil, u.void == 0))
		}
	})
	u.Entry = o.Name
	if err = errors.Join(err, failed, u.finish()); err == nil && !o.DryRun {
		err = rest.end()
	}
	return u.Result, err
}

// finish writes what of the undo's own knowledge it has not yet.
func (u *undo) finish() error {
	for _, dir := range slices.Backward(slices.Sorted(maps.Keys(u.shut))) {
		u.leaveShut(dir)
	}
	return errors.Join(u.settle(), u.out.End(u.host))
}

// settle writes what is known of files that were put back, as soon as anything is.
func (u *undo) settle() error {
	for len(u.fresh) > 0 && u.out.log >= 0 {
		if err := u.out.write(u.fresh[0]); err != nil {
			return err
		}
		u.fresh = u.fresh[1:]
	}
	return nil
}
