package executor

import (
	"os"
	"sync"
)

// budget is the disk space all spools share. Its unit is bytes.
type budget struct {
	mu    sync.Mutex
	limit int64
	n     int64

	reclaim func() bool // frees some of it, or reports that it can't; may be nil
}

// take reserves up to want bytes and returns how many it got. What finished
// commands hold makes room.
func (b *budget) take(want int64) int64 {
	for {
		got := b.reserve(want)
		if got > 0 || want <= 0 || b.reclaim == nil || !b.reclaim() {
			return got
		}
	}
}

func (b *budget) reserve(want int64) int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	got := max(0, min(want, b.limit-b.n))
	b.n += got
	return got
}

func (b *budget) setLimit(n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.limit = n
}

func (b *budget) put(n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.n -= n
}

func (b *budget) used() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.n
}

// spool keeps one stream's bytes in an unlinked file: the head whole, and of
// what does not fit the newest bytes in a ring behind it. Nothing of it is left
// when the sidecar dies.
type spool struct {
	dir    string
	max    int64 // bytes kept
	tail   int64 // of those, the ring
	budget *budget

	mu     sync.Mutex
	file   *os.File // made with the first byte
	total  int64    // bytes written so far
	head   int64    // where the head ends once full is set
	full   bool
	taken  int64 // bytes reserved from the budget
	failed error // of the disk; bytes from lost on are only counted
	lost   int64

	readers int  // that hold it open
	closing bool // with the last of them
}

// append takes p over. When the disk fails the command goes on: what can't be
// kept is counted, so that it can be named.
func (s *spool) append(p []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed == nil && s.file == nil {
		s.file, s.failed = unlinkedFile(s.dir)
	}
	for len(p) > 0 && s.failed == nil {
		p = p[s.write(p):]
		s.lost = s.total
	}
	s.total += int64(len(p))
}

// write stores one run of bytes that is contiguous in the file.
func (s *spool) write(p []byte) int {
	if !s.full {
		room := s.budget.take(min(int64(len(p)), s.max-s.tail-s.total))
		s.taken += room
		if room == 0 {
			s.full, s.head = true, s.total
			return 0
		}
		return s.put(p[:room], s.total)
	}
	if s.tail == 0 { // a very small spool has no ring
		s.total += int64(len(p))
		return len(p)
	}
	at := (s.total - s.head) % s.tail
	return s.put(p[:min(int64(len(p)), s.tail-at)], s.head+at)
}

func (s *spool) put(p []byte, at int64) int {
	n, err := s.file.WriteAt(p, at)
	s.total += int64(n)
	if err != nil {
		s.failed = err
	}
	return n
}

// read copies bytes of the stream from offset off, all that p has room for up to
// a hole or the end. When those at off are gone it returns 0 and where the next
// kept byte is.
func (s *spool) read(p []byte, off int64) (n int, next int64, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, next, err = s.readRun(p, off)
	for err == nil && 0 < n && n < len(p) {
		more, _, later := s.readRun(p[n:], next)
		if later != nil || more == 0 {
			break
		}
		n, next = n+more, next+int64(more)
	}
	return n, next, err
}

// readRun is read up to where the file goes on at another place.
func (s *spool) readRun(p []byte, off int64) (n int, next int64, err error) {
	if off >= s.total {
		return 0, off, nil
	}
	if s.failed != nil && off >= s.lost {
		return 0, s.total, nil
	}
	at, avail := off, s.total-off
	if s.full {
		if oldest := s.oldest(); off >= s.head && off < oldest {
			return 0, oldest, nil
		}
		if off < s.head {
			avail = s.head - off
		} else {
			ring := (off - s.head) % s.tail
			at, avail = s.head+ring, min(avail, s.tail-ring)
		}
	}
	if s.failed != nil {
		avail = min(avail, s.lost-off)
	}
	n, err = s.file.ReadAt(p[:min(int64(len(p)), avail)], at)
	return n, off + int64(n), err
}

// lacks says that bytes from off on were written and are not kept.
func (s *spool) lacks(off int64) bool {
	n, next, err := s.read(make([]byte, 1), off)
	return err == nil && n == 0 && next > off
}

// oldest is the offset of the first byte in the ring.
func (s *spool) oldest() int64 { return max(s.head, s.total-s.tail) }

// gone is how many bytes of the stream were not kept.
func (s *spool) gone() (n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	end := s.total
	if s.failed != nil {
		end = s.lost
	}
	if s.full {
		n = min(s.oldest(), end) - s.head
	}
	return n + s.total - end
}

func (s *spool) size() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.total
}

// err is the disk's error, if it failed.
func (s *spool) err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failed
}

// first is the offset of the first byte that is kept.
func (s *spool) first() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.failed != nil && s.lost == 0:
		return s.total
	case s.full && s.head == 0:
		return s.oldest()
	}
	return 0
}

// spare says that closing it would free disk space at once.
func (s *spool) spare() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.taken > 0 && s.readers == 0
}

// hold keeps the bytes readable until drop, if they still are.
func (s *spool) hold() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing && s.readers == 0 {
		return false
	}
	s.readers++
	return true
}

func (s *spool) drop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.readers--
	if s.closing && s.readers == 0 {
		s.free()
	}
}

// close frees the bytes, as soon as nobody reads them.
func (s *spool) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closing = true
	if s.readers == 0 {
		s.free()
	}
}

func (s *spool) free() {
	s.budget.put(s.taken)
	s.taken = 0
	if s.file != nil {
		_ = s.file.Close()
		s.file = nil
	}
}
