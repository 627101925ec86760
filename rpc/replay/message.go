package replay

import (
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Message is one frame the sidecar sent.
type Message struct {
	Index  int // position in everything it sent
	At     time.Time
	Raw    jsontext.Value
	ID     jsontext.Value // nil when there is none
	Method string         // "" for a response
	Params jsontext.Value
	Result jsontext.Value
	Error  *ErrorObject
}

// ErrorObject is the error of a response.
type ErrorObject struct {
	Code    int            `json:"code"`
	Message string         `json:"message"`
	Data    jsontext.Value `json:"data"`
}

// envelope is every member JSON-RPC 2.0 knows; any other one is refused.
type envelope struct {
	JSONRPC string         `json:"jsonrpc"`
	ID      jsontext.Value `json:"id"`
	Method  string         `json:"method"`
	Params  jsontext.Value `json:"params"`
	Result  jsontext.Value `json:"result"`
	Error   *ErrorObject   `json:"error"`
}

// decodeMessage is strict: duplicate or unknown members and invalid UTF-8 are
// errors, because a client's parser may read them otherwise than ours.
func decodeMessage(body []byte) (*Message, error) {
	var e envelope
	if err := json.Unmarshal(body, &e, json.RejectUnknownMembers(true)); err != nil {
		return nil, fmt.Errorf("not a JSON-RPC message: %w", err)
	}
	m := &Message{
		At: time.Now(), Raw: body, ID: e.ID, Method: e.Method,
		Params: e.Params, Result: e.Result, Error: e.Error,
	}
	return m, e.check()
}

func (e *envelope) check() error {
	response := e.Result != nil || e.Error != nil
	switch {
	case e.JSONRPC != "2.0":
		return errors.New(`"jsonrpc" is not "2.0"`)
	case e.Result != nil && e.Error != nil:
		return errors.New("a response with both result and error")
	case response && e.Method != "":
		return errors.New("a response with a method")
	case response && e.ID == nil:
		return errors.New("a response without id")
	case !response && e.Method == "":
		return errors.New("neither method nor result nor error")
	case e.Method != "" && e.Params != nil && e.Params.Kind() != '{' && e.Params.Kind() != '[':
		return errors.New("params are neither object nor array")
	case e.Error != nil && e.Error.Message == "":
		return errors.New("an error without message")
	}
	return nil
}

// Response reports whether m answers the request with this id (JSON).
func (m *Message) Response(id string) bool {
	return m.Method == "" && string(m.ID) == id
}

// Decode reads the result into v. It is an error if m carries an error.
func (m *Message) Decode(v any) error {
	if m.Error != nil {
		return fmt.Errorf("error %d: %s", m.Error.Code, m.Error.Message)
	}
	return json.Unmarshal(m.Result, v)
}
