package jsonrpc

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// lines reads messages of which each has a line for itself. Unlike with headers
// no mistake is final: the next newline is where the next message begins.
type lines struct {
	in    *bufio.Reader
	limit int64  // bytes of a message
	buf   []byte // the line, or its beginning if it is over the limit
	over  bool   // it is
}

func newLines(in io.Reader, limit int64) *lines {
	return &lines{in: bufio.NewReader(in), limit: limit}
}

// next skips blank lines: a host may end its messages with more than one.
func (l *lines) Next() (Packet, error) {
	for {
		size, err := l.line()
		switch body := bytes.Trim(l.buf, " \t\r\n"); {
		case err != nil:
			return Packet{}, err
		case size > l.limit:
			head := l.buf[:min(len(l.buf), idPrefix)]
			return Packet{Size: size, ID: recoverID(head), Fault: &Fault{Kind: TooLarge, Limit: l.limit, Got: size}}, nil
		case len(body) > 0:
			return Packet{Body: body, Size: size}, nil
		}
	}
}

// line reads a line into buf and returns its length without its end. A line that the
// stream's end cuts off is an error and never a message, however complete it looks: its
// writer is gone.
func (l *lines) line() (int64, error) {
	l.reset()
	size, last := int64(0), byte(0)
	for {
		part, err := l.in.ReadSlice('\n')
		size += int64(len(part))
		l.keep(part)
		switch {
		case err == nil && (last == '\r' && len(part) == 1 || bytes.HasSuffix(part, []byte("\r\n"))):
			return size - 2, nil
		case err == nil:
			return size - 1, nil
		case errors.Is(err, bufio.ErrBufferFull):
			last = part[len(part)-1]
		case size > 0:
			return 0, unexpected(err)
		default:
			return 0, err
		}
	}
}

// reset forgets the line. As with headers no big one stays in memory.
func (l *lines) reset() {
	if cap(l.buf) > keepBuffer {
		l.buf = nil
	}
	l.buf, l.over = l.buf[:0], false
}

// keep appends a part of the line. Once the line is over the limit, no more of it
// is kept than its id is looked for in.
func (l *lines) keep(part []byte) {
	const ending = int64(len("\r\n"))
	switch {
	case l.over:
	case int64(len(l.buf)+len(part)) <= l.limit+ending:
		l.buf = append(l.buf, part...)
	default:
		l.over = true
		l.buf = append(l.buf, part...)
		l.buf = bytes.Clone(l.buf[:min(len(l.buf), idPrefix)])
	}
}
