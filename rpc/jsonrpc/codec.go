package jsonrpc

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/jsonrpc2"
)

// WireOptions hold for everything we send. A path that is not valid UTF-8 must
// not turn a command's result into an error, so such bytes become U+FFFD.
var WireOptions = json.JoinOptions(jsontext.AllowInvalidUTF8(true), json.Deterministic(true))

// Codec encodes results for the Conn. It decodes nothing: params are decoded by
// the methods, and requests of our own don't go through the Conn.
type Codec struct{}

func (Codec) Marshal(v any) ([]byte, error) { return json.Marshal(v, WireOptions) }

func (Codec) Unmarshal(data []byte, v any) error { return json.Unmarshal(data, v) }

// Notification is the frame of one.
func Notification(method string, params any) *Frame {
	raw, err := Codec{}.Marshal(params)
	if err != nil {
		panic(err) // every params type is ours and marshals
	}
	f := NewFrame()
	f.Buf = jsonrpc2.AppendNotification(f.Buf, method, raw)
	return f
}
