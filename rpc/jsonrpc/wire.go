package jsonrpc

import (
	"io"
	"strconv"
	"sync"
)

// maxAnswer bounds what a client reads as one message.
const maxAnswer = 64 << 20

// Wire is a client's end of a connection with headers: bodies as they are, not decoded.
type Wire struct {
	in Packets

	mu    sync.Mutex
	out   io.Writer
	frame []byte
}

// NewWire reads answers from in and writes requests to out.
func NewWire(in io.Reader, out io.Writer) *Wire {
	return &Wire{in: newHeaders(in, maxAnswer), out: out}
}

// Send writes a message, from any goroutine.
func (w *Wire) Send(body []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.frame = strconv.AppendInt(append(w.frame[:0], "Content-Length: "...), int64(len(body)), 10)
	w.frame = append(append(w.frame, "\r\n\r\n"...), body...)
	_, err := w.out.Write(w.frame)
	return err
}

// Read returns the next message, which holds until the one after it is read.
func (w *Wire) Read() ([]byte, error) {
	p, err := w.in.Next()
	return p.Body, err
}
