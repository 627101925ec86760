package jsonrpc

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"strconv"
	"strings"
)

// maxHeaderBytes bounds a header block. Without it a line that never ends would
// be collected until memory runs out.
const maxHeaderBytes = 8 << 10

// FramingError ends the connection: where the next frame begins is unknown, and
// guessing could run bytes of a body as a request.
type FramingError struct{ reason string }

func (e *FramingError) Error() string { return "bad frame: " + e.reason }

// header is what a header block says about its body.
type header struct {
	length int64
	utf8   bool // false when Content-Type names another charset
}

// headers reads messages that a header block goes in front of.
type headers struct {
	in    *bufio.Reader
	limit int64 // bytes of a body
	body  body
}

func newHeaders(in io.Reader, limit int64) *headers {
	return &headers{in: bufio.NewReaderSize(in, maxHeaderBytes), limit: limit}
}

func (s *headers) Next() (Packet, error) {
	h, err := readHeader(s.in)
	if err != nil {
		return Packet{}, err
	}
	if h.length > s.limit || !h.utf8 {
		return s.refuse(h)
	}
	body, err := s.body.read(s.in, h.length)
	return Packet{Body: body, Size: h.length}, err
}

// refuse reads past a body that won't be looked at.
func (s *headers) refuse(h header) (Packet, error) {
	prefix, err := skip(s.in, h.length)
	if h.length > s.limit {
		return Packet{Size: h.length, ID: recoverID(prefix), Fault: &Fault{Kind: TooLarge, Limit: s.limit, Got: h.length}}, err
	}
	return Packet{Size: h.length, Fault: invalid("the charset must be utf-8")}, err
}

// readHeader reads one header block. A stream that ends before its first byte
// is io.EOF, later io.ErrUnexpectedEOF.
func readHeader(r *bufio.Reader) (header, error) {
	h := header{length: -1, utf8: true}
	for total := 0; ; {
		line, err := r.ReadSlice('\n')
		total += len(line)
		switch {
		case errors.Is(err, bufio.ErrBufferFull) || total > maxHeaderBytes:
			return h, &FramingError{fmt.Sprintf("header block over %d bytes", maxHeaderBytes)}
		case errors.Is(err, io.EOF) && total > 0:
			return h, io.ErrUnexpectedEOF
		case err != nil:
			return h, err
		}
		text, ok := bytes.CutSuffix(line, []byte("\r\n"))
		if !ok {
			return h, &FramingError{"header line without CR LF"}
		}
		if len(text) == 0 {
			return h, h.complete()
		}
		if err := h.field(text); err != nil {
			return h, err
		}
	}
}

func (h *header) complete() error {
	if h.length < 0 {
		return &FramingError{"no Content-Length"}
	}
	return nil
}

// field takes one header line. A second Content-Length is refused even when it
// agrees: two readers that disagree on which one counts see different messages.
func (h *header) field(line []byte) error {
	name, value, ok := bytes.Cut(line, []byte(":"))
	if !ok || len(name) == 0 || bytes.ContainsAny(name, " \t") {
		return &FramingError{fmt.Sprintf("header line %.40q", line)}
	}
	value = bytes.Trim(value, " \t")
	switch {
	case bytes.EqualFold(name, []byte("content-length")):
		if h.length >= 0 {
			return &FramingError{"two Content-Length lines"}
		}
		return h.setLength(string(value))
	case bytes.EqualFold(name, []byte("content-type")):
		h.utf8 = isUTF8(string(value))
	}
	return nil
}

// setLength accepts digits only; ParseInt alone would also take a sign.
func (h *header) setLength(value string) error {
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil || strings.Trim(value, "0123456789") != "" {
		return &FramingError{fmt.Sprintf("Content-Length %.40q", value)}
	}
	h.length = n
	return nil
}

// isUTF8 reports whether a Content-Type leaves the body in UTF-8. utf8 is the
// spelling of old LSP clients.
func isUTF8(contentType string) bool {
	_, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		return false
	}
	charset := strings.ToLower(params["charset"])
	return charset == "" || charset == "utf-8" || charset == "utf8"
}
