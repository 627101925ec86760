package spool

import "os"

// FewBytes is how much of a stream is kept in memory: making a file costs more than
// most commands have to say, and so does writing to one.
const FewBytes = 4 << 10

// writeAt stores p at an offset of the file, which there is as soon as its bytes are
// not few. Called with mu held, as the rest of it.
func (s *Spool) writeAt(p []byte, at int64) (int, error) {
	if s.file == nil && at+int64(len(p)) <= FewBytes {
		if end := int(at) + len(p); end > len(s.few) {
			s.few = append(s.few, make([]byte, end-len(s.few))...)
		}
		return copy(s.few[at:], p), nil
	}
	if err := s.open(); err != nil {
		return 0, err
	}
	return s.file.WriteAt(p, at)
}

func (s *Spool) readAt(p []byte, at int64) (int, error) {
	if s.file == nil {
		return copy(p, s.few[at:]), nil
	}
	return s.file.ReadAt(p, at)
}

// open makes the file, and moves into it what was kept in memory. While that fails nothing
// is lost.
func (s *Spool) open() error {
	if s.file != nil {
		return nil
	}
	f, err := unlinkedFile(s.Dir)
	if err != nil {
		return err
	}
	if _, err := f.WriteAt(s.few, 0); err != nil {
		_ = f.Close()
		return err
	}
	s.file, s.few = f, nil
	return nil
}

// Swap puts another file in the place of a spool's own, which nothing is written
// to any more. Without output there is none.
func (s *Spool) Swap(other func(*os.File) (*os.File, error)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.total > 0 {
		if err := s.open(); err != nil {
			return err
		}
	}
	f, err := other(s.file)
	s.file = f
	return err
}

// Room says how many of want bytes may be read from the pipe: where the command
// is to wait, no more than will be kept. What is read is gone from the pipe, so
// there has to be a file for it.
func (s *Spool) Room(want int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.OnFull != Block || s.lifted {
		return want
	}
	if s.failed == nil && !s.full {
		s.fail(s.open())
	}
	if s.full || s.failed != nil {
		return 0
	}
	return int(s.reserve(int64(want)))
}
