package jsonrpc

import (
	"io"

	"go.lsp.dev/jsonrpc2"
)

// Lines are the messages of a host that speaks another protocol than ours in the same
// framing. They are as bounded and as strictly checked as ours, and a bad one costs
// nothing but itself.
type Lines struct {
	in     Packets
	refuse Refuse
}

// NewLines reads from in, one message of at most limit bytes a line.
func NewLines(in io.Reader, limit int64, refuse Refuse) *Lines {
	return &Lines{newLines(in, limit), refuse}
}

// Next returns the next message, which is valid until the one after it is read.
// For one that can't be taken it returns the answer to send in its place. An error
// is the end of the input.
func (l *Lines) Next() (message, refusal []byte, err error) {
	p, err := l.in.Next()
	if err != nil {
		return nil, nil, err
	}
	id, fault := p.ID, p.Fault
	if fault == nil {
		_, id, fault = decodeMessage(p.Body)
	}
	if fault != nil {
		return nil, jsonrpc2.AppendResponse(nil, id, nil, l.refuse(*fault)), nil
	}
	return p.Body, nil, nil
}
