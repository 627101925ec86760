package rpc

import (
	"io"

	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/jsonrpc2"
)

// Lines are the messages of a host that speaks another protocol than ours in the
// same framing. They are as bounded and as strictly checked as ours, and a bad one
// costs nothing but itself.
type Lines struct{ in packets }

// NewLines reads from in, one message a line.
func NewLines(in io.Reader) *Lines { return &Lines{newLines(in, MaxMessageBytes)} }

// Next returns the next message, which is valid until the one after it is read.
// For one that can't be taken it returns the answer to send in its place. An error
// is the end of the input.
func (l *Lines) Next() (message, refusal []byte, err error) {
	p, err := l.in.next()
	if err != nil {
		return nil, nil, err
	}
	id, fault := p.id, p.fault
	if fault == nil {
		_, id, fault = decodeMessage(p.body)
	}
	if fault != nil {
		return nil, jsonrpc2.AppendResponse(nil, id, nil, fault), nil
	}
	return p.body, nil, nil
}

// DecodeStrict decodes what a tool is given as the params of exec are decoded: an
// unknown, repeated or differently capitalised member is refused, and so are null
// and NUL.
func DecodeStrict(params []byte, out any) error {
	if bad := decodeStrict(params, out, never); bad != nil {
		return bad.fault()
	}
	return nil
}

// Token is a progress token that is a string.
func Token(text string) ProgressToken {
	raw, _ := jsontext.AppendQuote(nil, text) // the error is about UTF-8, which is mended
	return ProgressToken{raw}
}
