package rpc

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// wireOptions hold for everything we send. A path that is not valid UTF-8 must
// not turn a command's result into an error, so such bytes become U+FFFD.
var wireOptions = json.JoinOptions(jsontext.AllowInvalidUTF8(true), json.Deterministic(true))

// codec encodes results for the Conn. It decodes nothing: params are decoded by
// the methods, and requests of our own don't go through the Conn.
type codec struct{}

func (codec) Marshal(v any) ([]byte, error) { return json.Marshal(v, wireOptions) }

func (codec) Unmarshal(data []byte, v any) error { return json.Unmarshal(data, v) }
