package spool

// Read copies bytes of the stream from offset off, all that p has room for up to
// a hole or the end. When those at off are gone it returns 0 and where the next
// kept byte is.
func (s *Spool) Read(p []byte, off int64) (n int, next int64, err error) {
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
func (s *Spool) readRun(p []byte, off int64) (n int, next int64, err error) {
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
			ring := (off - s.head) % s.Tail
			at, avail = s.head+ring, min(avail, s.Tail-ring)
		}
	}
	if s.failed != nil {
		avail = min(avail, s.lost-off)
	}
	n, err = s.readAt(p[:min(int64(len(p)), avail)], at)
	return n, off + int64(n), err
}

// Lacks says that bytes from off on were written and are not kept.
func (s *Spool) Lacks(off int64) bool {
	n, next, err := s.Read(make([]byte, 1), off)
	return err == nil && n == 0 && next > off
}

// oldest is the offset of the first byte in the ring.
func (s *Spool) oldest() int64 { return max(s.head, s.total-s.Tail) }

// Gone is how many bytes of the stream were not kept.
func (s *Spool) Gone() (n int64) {
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

// Size is how many bytes were written so far.
func (s *Spool) Size() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.total
}

// Hole is what is not kept, [from, to), at this moment; both are the end if there
// is none.
func (s *Spool) Hole() (from, to, total int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.full && s.failed == nil && s.oldest() > s.head:
		return s.head, s.oldest(), s.total
	case s.failed != nil && s.full:
		return s.head, s.total, s.total
	case s.failed != nil:
		return s.lost, s.total, s.total
	}
	return s.total, s.total, s.total
}

// First is the offset of the first byte that is kept.
func (s *Spool) First() int64 {
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
