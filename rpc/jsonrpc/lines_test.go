package jsonrpc

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// read takes all packets off text. Of refused ones it keeps the fault.
func readAll(t *testing.T, p Packets) (got []string, end error) {
	t.Helper()
	for {
		m, err := p.Next()
		switch {
		case err != nil:
			return got, err
		case m.Fault != nil:
			got = append(got, fmt.Sprint(*m.Fault))
		default:
			got = append(got, string(m.Body))
		}
	}
}

func TestLines(t *testing.T) {
	for name, tt := range map[string]struct {
		in   string
		want []string
		end  error
	}{
		"one a line":               {"{\"a\":1}\n{}\n", []string{`{"a":1}`, `{}`}, io.EOF},
		"as Windows ends lines":    {"{}\r\n{}\r\n", []string{`{}`, `{}`}, io.EOF},
		"blank lines":              {"\n\r\n  \t\n{}\n\n", []string{`{}`}, io.EOF},
		"white space around":       {"  {} \t\r\n", []string{`{}`}, io.EOF},
		"nothing":                  {"", nil, io.EOF},
		"the end in a line":        {"{}\n{\"a\":", []string{`{}`}, io.ErrUnexpectedEOF},
		"the end before a newline": {`{"a":1}`, nil, io.ErrUnexpectedEOF},
		"a carriage return alone":  {"{}\r{}\n", []string{"{}\r{}"}, io.EOF},
		"longer than the buffer":   {strings.Repeat("x", 9000) + "\n{}\n", []string{strings.Repeat("x", 9000), "{}"}, io.EOF},
	} {
		for _, r := range []io.Reader{strings.NewReader(tt.in), iotest.OneByteReader(strings.NewReader(tt.in))} {
			got, end := readAll(t, newLines(r, 10_000))
			if !slices.Equal(got, tt.want) || !errors.Is(end, tt.end) {
				t.Errorf("%s: %.80q, %v", name, got, end)
			}
		}
	}
}

// The line's end does not count, and the message after a refused one is read.
func TestLineOverTheLimit(t *testing.T) {
	const limit = 5000
	for _, ending := range []string{"\n", "\r\n"} {
		for size, refused := range map[int]bool{limit - 1: false, limit: false, limit + 1: true, limit + 2: true, limit + 3: true, 4*limit + 1: true} {
			long := strings.Repeat("x", size)
			l := newLines(iotest.HalfReader(strings.NewReader(long+ending+"{}\n")), limit)
			first, err := l.Next()
			second, err2 := l.Next()
			if err != nil || err2 != nil || (first.Fault != nil) != refused || first.Size != int64(size) || string(second.Body) != "{}" {
				t.Errorf("%d bytes and %q: refused %v with size %d, then %q", size, ending, first.Fault != nil, first.Size, second.Body)
			}
		}
	}
}

// A line that never ends takes no more memory than its limit, and next to none
// once it is over.
func TestLineOverTheLimitIsNotKept(t *testing.T) {
	l := newLines(io.LimitReader(endless('x'), 50<<20), 1<<20)
	if _, err := l.Next(); !errors.Is(err, io.ErrUnexpectedEOF) || cap(l.buf) > 2*idPrefix {
		t.Errorf("%v, %d bytes kept", err, cap(l.buf))
	}
}

type endless byte

func (e endless) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = byte(e)
	}
	return len(b), nil
}

// One big message does not stay in memory for the connection's life.
func TestLineBufferIsGivenBack(t *testing.T) {
	l := newLines(strings.NewReader(strings.Repeat("x", 1<<20)+"\n{}\n"), 2<<20)
	_, _ = l.Next()
	if _, err := l.Next(); err != nil || cap(l.buf) > keepBuffer {
		t.Errorf("%v, %d bytes kept", err, cap(l.buf))
	}
}

// Whatever a message holds, it is one line.
func TestSealedLineHasOneNewline(t *testing.T) {
	f := NewFrame()
	defer f.Free()
	f.Buf = append(f.Buf, "{\"a\":\n[1,\n\n2]}"...)
	if got := string(FramingLines.seal(f)); got != "{\"a\": [1,  2]}\n" {
		t.Errorf("%q", got)
	}
}

func TestFramingOfAFlag(t *testing.T) {
	var f Framing
	if err := f.UnmarshalText([]byte("jsonl")); err != nil || f != FramingLines {
		t.Error(f, err)
	}
	for _, wrong := range []string{"", "JSONL", "ndjson"} {
		if err := f.UnmarshalText([]byte(wrong)); err == nil || !strings.Contains(err.Error(), "header and jsonl") {
			t.Errorf("%q: %v", wrong, err)
		}
	}
}
