package jsonrpc

import (
	"fmt"
	"io"

	"go.lsp.dev/jsonrpc2"
)

// Framing is how messages are separated, on both streams alike. The zero value is
// FramingHeader.
type Framing string

const (
	// FramingHeader is that of the Language Server Protocol: a header block that
	// says the length, an empty line, the body.
	FramingHeader Framing = "header"
	// FramingLines is one message a line, as hosts of MCP and ACP speak.
	FramingLines Framing = "jsonl"
)

// MarshalText is the value of a flag.
func (f Framing) MarshalText() ([]byte, error) { return []byte(f), nil }

// UnmarshalText reads the value of a flag.
func (f *Framing) UnmarshalText(text []byte) error {
	switch v := Framing(text); v {
	case FramingHeader, FramingLines:
		*f = v
		return nil
	}
	return fmt.Errorf("there is no framing %.40q, only %s and %s", text, FramingHeader, FramingLines)
}

// Packet is one message as it came, or why it won't be looked at.
type Packet struct {
	Body  []byte // valid until the next one is read
	Size  int64
	ID    jsonrpc2.ID // of what is refused, if it was seen
	Fault *Fault      // nil: the body is to be decoded
}

// Packets are the messages of a stream. Its errors are final: where the next one
// begins is unknown.
type Packets interface{ Next() (Packet, error) }

// Packets reads messages with at most limit bytes.
func (f Framing) Packets(in io.Reader, limit int64) Packets {
	if f == FramingLines {
		return newLines(in, limit)
	}
	return newHeaders(in, limit)
}

// seal makes a message ready for the stream. It returns what is left to write.
func (f Framing) seal(m *Frame) []byte {
	switch {
	case m.sealed != nil:
	case f == FramingLines:
		m.sealed = m.line()
	default:
		m.sealed = m.seal()
	}
	return m.sealed
}
