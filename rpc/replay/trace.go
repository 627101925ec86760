package replay

import (
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/pillion-sidecar/pillion/rpc/display"
)

// maxTraced bounds one line of a conversation that is shown.
const maxTraced = 4000

// Line is what a Trace gets, as scripts write it. It holds no control character, and
// what is very long is cut in its middle.
func Line(sent bool, body []byte) string {
	mark := "← "
	if sent {
		mark = "→ "
	}
	var e envelope
	if json.Unmarshal(body, &e, jsontext.AllowDuplicateNames(true)) != nil || e.Method == "" && e.ID == nil {
		return mark + "raw " + strconv.Quote(cut(body))
	}
	return mark + e.line()
}

func (e *envelope) line() string {
	value := e.Params
	text := ""
	if e.ID != nil {
		text = "#" + string(e.ID) + " "
	}
	switch {
	case e.Method != "":
		text += e.Method + " "
	case e.Error != nil:
		text += fmt.Sprintf("error %d %s ", e.Error.Code, quote(e.Error.Message))
		value = e.Error.Data
	default:
		value = e.Result
	}
	return string(display.EscapeControls([]byte(text + cut(value))))
}

func cut(v []byte) string {
	if len(v) <= maxTraced {
		return string(v)
	}
	return fmt.Sprintf("%s … (%d bytes) … %s", v[:maxTraced/2], len(v), v[len(v)-maxTraced/4:])
}
