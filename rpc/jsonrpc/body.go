package jsonrpc

import (
	"bufio"
	"bytes"
	"io"
)

const (
	// firstRead is what is allocated on a header's word; the rest follows the
	// bytes that really arrive. A header may claim 16 MiB and send nothing.
	firstRead = 64 << 10
	// keepBuffer is the largest read buffer that survives its message, so that
	// one big message doesn't stay in memory for the connection's life.
	keepBuffer = 64 << 10
	// idPrefix is how much of a discarded body is kept to find its id in.
	idPrefix = 4 << 10
)

// body is the read buffer of a stream.
type body struct{ buf []byte }

// read returns the next n bytes, which are valid until the next call.
func (b *body) read(r io.Reader, n int64) ([]byte, error) {
	if cap(b.buf) > keepBuffer {
		b.buf = nil
	}
	b.buf = b.buf[:0]
	for int64(len(b.buf)) < n {
		if err := b.more(r, n-int64(len(b.buf))); err != nil {
			return nil, unexpected(err)
		}
	}
	return b.buf, nil
}

// more reads at most rest bytes: as many as are buffered already, doubling.
func (b *body) more(r io.Reader, rest int64) error {
	step := min(rest, int64(max(firstRead, len(b.buf))))
	if spare := int64(cap(b.buf) - len(b.buf)); spare > 0 {
		step = min(step, spare)
	} else {
		b.buf = append(make([]byte, 0, int64(len(b.buf))+step), b.buf...)
	}
	from := len(b.buf)
	n, err := io.ReadFull(r, b.buf[from:from+int(step)])
	b.buf = b.buf[:from+n]
	return err
}

// skip discards a body of n bytes and returns its beginning.
func skip(r *bufio.Reader, n int64) ([]byte, error) {
	var head bytes.Buffer
	if _, err := io.CopyN(&head, r, min(n, idPrefix)); err != nil {
		return nil, unexpected(err)
	}
	if _, err := io.CopyN(io.Discard, r, n-int64(head.Len())); err != nil {
		return nil, unexpected(err)
	}
	return head.Bytes(), nil
}

// unexpected turns an end inside a frame into the error that says so.
func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
