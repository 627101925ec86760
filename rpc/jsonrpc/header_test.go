package jsonrpc

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestHeader(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		length   int64
		utf8     bool
	}{
		{"plain", "Content-Length: 5\r\n\r\n", 5, true},
		{"any case, no blank", "content-LENGTH:5\r\n\r\n", 5, true},
		{"zero", "Content-Length: 0\r\n\r\n", 0, true},
		{"type", "Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: 5\r\n\r\n", 5, true},
		{"old spelling", "Content-Length: 5\r\nContent-Type: a/b; charset=UTF8\r\n\r\n", 5, true},
		{"no charset", "Content-Length: 5\r\nContent-Type: a/b\r\n\r\n", 5, true},
		{"other charset", "Content-Length: 5\r\nContent-Type: a/b; charset=utf-16\r\n\r\n", 5, false},
		{"other header", "X-Trace: 1\r\nContent-Length: 5\r\n\r\n", 5, true},
	} {
		h, err := readHeader(bufio.NewReaderSize(strings.NewReader(tt.in), maxHeaderBytes))
		if err != nil || h.length != tt.length || h.utf8 != tt.utf8 {
			t.Errorf("%s: %+v, %v", tt.name, h, err)
		}
	}
}

func TestHeaderFatal(t *testing.T) {
	for _, in := range []string{
		"\r\n",
		"X: 1\r\n\r\n",
		"Content-Length: 5\r\nContent-Length: 5\r\n\r\n",
		"Content-Length: 5\r\ncontent-length: 6\r\n\r\n",
		"Content-Length: -5\r\n\r\n",
		"Content-Length: +5\r\n\r\n",
		"Content-Length: 5 5\r\n\r\n",
		"Content-Length: 0x5\r\n\r\n",
		"Content-Length: 99999999999999999999\r\n\r\n",
		"Content-Length:\r\n\r\n",
		"Content-Length : 5\r\n\r\n",
		"Content-Length: 5\n\n",
		"{\"jsonrpc\":\"2.0\"}\r\n\r\n",
		": 5\r\n\r\n",
		"no colon\r\n\r\n",
		"X: " + strings.Repeat("a", maxHeaderBytes) + "\r\n\r\n",
		strings.Repeat("a", 3*maxHeaderBytes),
		strings.Repeat("X: 1\r\n", maxHeaderBytes/6+1) + "\r\n",
	} {
		_, err := readHeader(bufio.NewReaderSize(strings.NewReader(in), maxHeaderBytes))
		var bad *FramingError
		if !errors.As(err, &bad) {
			t.Errorf("%.60q: %v", in, err)
		}
	}
}

func TestHeaderEnd(t *testing.T) {
	for in, want := range map[string]error{"": io.EOF, "Content-Le": io.ErrUnexpectedEOF, "Content-Length: 5\r\n": io.ErrUnexpectedEOF} {
		if _, err := readHeader(bufio.NewReader(strings.NewReader(in))); err != want {
			t.Errorf("%q: %v, want %v", in, err, want)
		}
	}
}
