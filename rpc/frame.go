package rpc

import (
	"bytes"
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
// to be written of it and what the framing adds.
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

// seal writes the header directly in front of the body and returns both.
func (f *frame) seal() []byte {
	var h [headroom]byte
	header := append(h[:0], "Content-Length: "...)
	header = strconv.AppendInt(header, int64(len(f.buf)-headroom), 10)
	header = append(header, "\r\n\r\n"...)
	from := headroom - len(header)
	copy(f.buf[from:], header)
	return f.buf[from:]
}

// line ends the body with a newline and returns both. JSON text has no newline in
// a string, only as white space between tokens: there it is made a blank, or half
// of the message would be taken for a message of its own.
func (f *frame) line() []byte {
	body := f.buf[headroom:]
	for i := bytes.IndexByte(body, '\n'); i >= 0; i = bytes.IndexByte(body, '\n') {
		body[i] = ' '
	}
	f.buf = append(f.buf, '\n')
	return f.buf[headroom:]
}
