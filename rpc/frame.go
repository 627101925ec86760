package rpc

import (
	"strconv"
	"sync"
)

const (
	// headroom is kept free in front of a body, for the header that names its
	// length: a frame is one buffer and one Write.
	headroom = len("Content-Length: \r\n\r\n") + 20
	// keepFrame is the largest buffer that goes back to the pool.
	keepFrame = 256 << 10
)

var frames = sync.Pool{New: func() any { return &frame{buf: make([]byte, headroom, 4<<10)} }}

// frame is one message on its way out. buf[headroom:] is its body, sealed what is
// to be written of it and its header.
type frame struct{ buf, sealed []byte }

func newFrame() *frame { return frames.Get().(*frame) }

// free gives the buffer back; nobody may use the frame afterwards.
func (f *frame) free() {
	if cap(f.buf) > keepFrame {
		return
	}
	f.buf, f.sealed = f.buf[:headroom], nil
	frames.Put(f)
}

func (f *frame) size() int { return len(f.buf) }

// seal writes the header directly in front of the body and returns both, or what
// is left of them.
func (f *frame) seal() []byte {
	if f.sealed != nil {
		return f.sealed
	}
	var h [headroom]byte
	header := append(h[:0], "Content-Length: "...)
	header = strconv.AppendInt(header, int64(len(f.buf)-headroom), 10)
	header = append(header, "\r\n\r\n"...)
	from := headroom - len(header)
	copy(f.buf[from:], header)
	f.sealed = f.buf[from:]
	return f.sealed
}
