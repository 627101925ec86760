package journal

import (
	"bufio"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"
)

// rest is what an undo leaves of an entry. A step that was taken back must not be taken
// back again: its names may be others' by now. It is written step by step, so that it is
// known how far an undo came that was killed.
type rest struct {
	entry string
	file  *os.File // in the order of the undo; nil in a dry run
	out   *bufio.Writer
	log   uint64 // the inode of its log
	some  bool
	buf   []byte
}

// newRest puts what an undo that was killed has left in the log's place first.
func newRest(entry string, dry bool) (*rest, error) {
	f, err := os.OpenFile(filepath.Join(entry, "rest"), os.O_RDWR|os.O_APPEND|os.O_CREATE|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, err
	}
	s := &rest{entry: entry, file: f, out: bufio.NewWriter(f)}
	if unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) != nil {
		err = ErrRuns // another undo of it
	} else {
		err = s.replace()
	}
	var log unix.Stat_t
	if err = errors.Join(err, unix.Stat(filepath.Join(entry, logName), &log)); err == nil {
		err = f.Truncate(0)
	}
	s.log = log.Ino
	if dry || err != nil {
		s.close()
		s.file = nil
	}
	return s, err
}

func (s *rest) close() {
	if s.file != nil {
		_ = unix.Flock(int(s.file.Fd()), unix.LOCK_UN) // see End
		_ = s.file.Close()
	}
}

// always are records that stay as long as any other does: what they say holds as before.
var always = []kind{times, settled, anew, final, theirs, mine, returned, ended}

// add gets each step; whole says that the next one may be the first of another undo.
func (s *rest) add(r record, at int64, left, whole bool) error {
	about := slices.Contains(always, r.kind)
	if s.file == nil {
		return nil
	}
	if left || about {
		s.some = s.some || !about
		s.buf = r.append(s.buf[:0])
		_, _ = s.out.Write(s.buf) // Flush reports it
	}
	if about || !whole {
		return nil
	}
	return s.reach(at)
}

func (s *rest) reach(at int64) error {
	s.buf = record{kind: reached, info: Info{Ino: s.log, Size: at}}.append(s.buf[:0])
	_, _ = s.out.Write(s.buf)
	return s.out.Flush()
}

// end makes the rest the entry's log, and removes an entry of which there is none.
func (s *rest) end() error {
	if !s.some { // the log first: without it there is nothing to undo
		return errors.Join(os.Remove(filepath.Join(s.entry, logName)), os.RemoveAll(s.entry))
	}
	return errors.Join(s.reach(0), s.replace(), os.Remove(s.file.Name()))
}

// replace makes a log of what was not reached in it, and what was left of the others.
func (s *rest) replace() error {
	old, err := os.Open(filepath.Join(s.entry, logName))
	if err != nil {
		return err
	}
	defer old.Close()
	var st unix.Stat_t
	info, err := s.file.Stat()
	if err = errors.Join(err, unix.Fstat(int(old.Fd()), &st)); err != nil || info.Size() == 0 {
		return err
	}
	log, err := os.OpenFile(filepath.Join(s.entry, "rest.log"), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	out, begun := bufio.NewWriter(log), false
	err = backwards(s.file, info.Size(), func(r record, _ int64) {
		switch {
		case r.kind != reached && begun:
			s.buf = r.append(s.buf[:0])
			_, _ = out.Write(s.buf)
		case r.kind == reached && !begun && r.info.Ino == st.Ino: // not of a log that was replaced already
			begun = true
			_, _ = io.CopyN(out, old, r.info.Size)
		}
	})
	if err = errors.Join(err, out.Flush(), log.Close()); err != nil || !begun {
		return errors.Join(err, os.Remove(log.Name()))
	}
	return os.Rename(log.Name(), old.Name())
}
