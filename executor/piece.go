package executor

import (
	"time"
	"unicode/utf8"
)

// ReadRequest says which part of a stream to read.
type ReadRequest struct {
	Offset int64         // below zero: from the end of what there is
	Max    int           // bytes of one Piece
	Wait   time.Duration // for bytes, where there are none yet
	Base64 bool          // any cut will do
}

// Piece is a run of a stream's bytes without a hole in it. Text reports that
// Bytes is valid UTF-8 cut on a rune boundary.
type Piece struct {
	Offset  int64 // of Bytes
	Bytes   []byte
	Text    bool
	Total   int64
	First   int64 // offset of the first byte that is kept
	Gaps    []Gap // what is lost between the offset asked for and Offset
	EOF     bool  // nothing follows Bytes
	Running bool  // the command has not ended
}

// start is where the reading begins. From the end, it is not in the middle of a
// character, so that the newest text is text.
func (s *stream) start(q ReadRequest) int64 {
	if q.Offset >= 0 {
		return q.Offset
	}
	off := max(0, s.spool.size()+q.Offset)
	if q.Base64 {
		return off
	}
	var b [2 * (utf8.UTFMax - 1)]byte
	before := int(min(off, utf8.UTFMax-1))
	n, _, err := s.spool.read(b[:], off-int64(before))
	if err != nil || n <= before {
		return off
	}
	for i := 1; i <= before; i++ {
		if utf8.RuneStart(b[before-i]) {
			_, size := utf8.DecodeRune(b[before-i : n]) // 1 where it is none
			return off + int64(max(0, size-i))
		}
	}
	return off
}

// piece reads up to the next hole. What is lost at off itself is named.
func (s *stream) piece(off int64, q ReadRequest) (Piece, error) {
	ended := s.ended() // before the size, which is the final one then
	p := Piece{Offset: off, First: s.spool.first()}
	b := make([]byte, max(0, min(int64(q.Max), s.spool.size()-off)))
	n, hole := 0, false
	for n < len(b) && !hole {
		got, next, err := s.spool.read(b[n:], p.Offset+int64(n))
		switch {
		case err != nil:
			return p, err
		case got > 0:
			n += got
			continue
		case n > 0:
			hole = next > p.Offset+int64(n)
		case next > p.Offset:
			p.Offset = next
			continue
		}
		break
	}
	if p.Offset > off {
		p.Gaps = []Gap{{Stream: s.name, From: off, To: p.Offset, Reason: s.spool.reason()}}
	}
	p.Total = s.spool.size()
	last := hole || ended && p.Offset+int64(n) >= p.Total
	size, text := cut(b[:n], q.Base64, last)
	if size == 0 && n == q.Max { // no room for a whole character
		size, text = n, false
	}
	p.Bytes, p.Text = b[:size], text
	p.EOF = ended && p.Offset+int64(size) >= p.Total
	return p, nil
}

func (s *stream) ended() bool {
	select {
	case <-s.over:
		return true
	default:
		return false
	}
}
