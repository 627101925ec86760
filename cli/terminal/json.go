package terminal

import (
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/pillion-sidecar/pillion/rpc/display"
)

// WriteJSON writes v as a line of JSON that a terminal can't obey.
func WriteJSON(w io.Writer, v any) error {
	b, err := json.Marshal(v, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return err
	}
	_, err = w.Write(append(display.EscapeControls(b), '\n'))
	return err
}
