package journal

import (
	"bufio"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"
)

// rest is what an undo leaves of an entry. A step that was taken back must not be taken
// back again: its names may be others' by now.
type rest struct {
	file *os.File // in the order of the undo; nil in a dry run
	out  *bufio.Writer
	some bool
	buf  []byte
}

func newRest(entry *os.File, dry bool) (*rest, error) {
	if dry {
		return &rest{}, nil
	}
	const flags = unix.O_RDWR | unix.O_CREAT | unix.O_TRUNC | unix.O_NOFOLLOW | unix.O_CLOEXEC
	fd, err := unix.Openat(int(entry.Fd()), "rest", flags, 0o600)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), "rest")
	return &rest{file: f, out: bufio.NewWriter(f)}, nil
}

func (s *rest) close() {
	if s.file != nil {
		_ = s.file.Close()
	}
}

// always are records that stay as long as any other does: what they say holds as before.
var always = []kind{times, settled, anew, final, ended}

func (s *rest) add(r record, left bool) error {
	about := slices.Contains(always, r.kind)
	if s.file == nil || !left && !about {
		return nil
	}
	s.some = s.some || !about
	s.buf = r.append(s.buf[:0])
	_, err := s.out.Write(s.buf)
	return err
}

// replace makes the rest the entry's log, and removes an entry of which there is none.
func (s *rest) replace(entry string) error {
	if !s.some {
		return os.RemoveAll(entry)
	}
	if err := s.out.Flush(); err != nil {
		return err
	}
	info, err := s.file.Stat()
	if err != nil {
		return err
	}
	log, err := os.OpenFile(filepath.Join(entry, "rest.log"), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(log)
	err = backwards(s.file, info.Size(), func(r record) {
		s.buf = r.append(s.buf[:0])
		_, _ = out.Write(s.buf) // Flush tells
	})
	if err = errors.Join(err, out.Flush(), log.Close()); err != nil {
		return err
	}
	return errors.Join(os.Rename(log.Name(), filepath.Join(entry, logName)), os.Remove(filepath.Join(entry, "rest")))
}
