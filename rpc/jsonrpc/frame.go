package jsonrpc

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

var frames = sync.Pool{New: func() any { return &Frame{Buf: make([]byte, headroom, 4<<10)} }}

// Frame is one message on its way out. buf[headroom:] is its body, sealed what is
// to be written of it and what the framing adds.
type Frame struct{ Buf, sealed []byte }

// NewFrame is an empty one; Send or Free give it back.
func NewFrame() *Frame { return frames.Get().(*Frame) }

// Free gives the buffer back; the frame must not be used afterwards.
func (f *Frame) Free() {
	if cap(f.Buf) > keepFrame {
		return
	}
	f.Buf, f.sealed = f.Buf[:headroom], nil
	frames.Put(f)
}

// Body is the message.
func (f *Frame) Body() []byte { return f.Buf[headroom:] }

func (f *Frame) size() int { return len(f.Buf) }

// seal writes the header directly in front of the body and returns both.
func (f *Frame) seal() []byte {
	var h [headroom]byte
	header := append(h[:0], "Content-Length: "...)
	header = strconv.AppendInt(header, int64(len(f.Buf)-headroom), 10)
	header = append(header, "\r\n\r\n"...)
	from := headroom - len(header)
	copy(f.Buf[from:], header)
	return f.Buf[from:]
}

// line ends the body with a newline and returns both. JSON text has no newline in
// a string, only as white space between tokens: there it is made a blank, or half
// of the message would be taken for a message of its own.
func (f *Frame) line() []byte {
	body := f.Buf[headroom:]
	for i := bytes.IndexByte(body, '\n'); i >= 0; i = bytes.IndexByte(body, '\n') {
		body[i] = ' '
	}
	f.Buf = append(f.Buf, '\n')
	return f.Buf[headroom:]
}
