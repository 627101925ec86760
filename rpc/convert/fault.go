package convert

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/pillion-sidecar/pillion/rpc/display"
	"github.com/pillion-sidecar/pillion/rpc/jsonrpc"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

// Fault makes an error answer. A plain Go error would go out with code 0.
func Fault(code jsonrpc.Code, data any, format string, args ...any) *jsonrpc.Error {
	text := format
	if len(args) > 0 {
		text = fmt.Sprintf(format, args...)
	}
	e := jsonrpc.NewError(code, protocol.Clip(strings.ToValidUTF8(text, "\uFFFD")))
	raw, err := jsonrpc.Codec{}.Marshal(data)
	if err != nil {
		panic(err) // every data type is ours and marshals
	}
	e.Data = raw
	return e
}

// Refusal is why a request is not served, with the data of the answer.
type Refusal struct {
	Code jsonrpc.Code
	Data any // one of the protocol's, with its ErrorData
	Text string
}

// Refuse makes a Refusal.
func Refuse(code jsonrpc.Code, data any, format string, args ...any) *Refusal {
	return &Refusal{code, data, fmt.Sprintf(format, args...)}
}

// Error is the text.
func (r *Refusal) Error() string { return r.Text }

// answer has what a person reads, too.
func (r *Refusal) answer(c display.Asked) *jsonrpc.Error {
	data := reflect.New(reflect.TypeOf(r.Data)).Elem()
	data.Set(reflect.ValueOf(r.Data))
	text := protocol.Clip(r.Text)
	data.FieldByName("Display").Set(reflect.ValueOf(display.Refusal(text, r.Data, c)))
	id := data.FieldByName("ExecID")
	id.SetString(protocol.Clip(id.String()))
	return Fault(r.Code, data.Interface(), "%s", r.Text)
}

// RefuseMessage is the answer to an invalid message.
func RefuseMessage(f jsonrpc.Fault) *jsonrpc.Error {
	switch tooLarge := (protocol.MessageTooLargeData{ErrorData: Kind("messageTooLarge"), Limit: f.Limit, Got: f.Got}); f.Kind {
	case jsonrpc.NotJSON:
		return Fault(protocol.CodeParse, protocol.DetailData{ErrorData: Kind("parseError"), Detail: f.Detail}, "%s", "not valid JSON: "+f.Detail)
	case jsonrpc.NotAFrame:
		return Fault(protocol.CodeParse, protocol.DetailData{ErrorData: Kind("parseError"), Detail: f.Detail}, "%s", f.Detail+"; the connection ends, start the server again")
	case jsonrpc.TooLarge:
		return Fault(protocol.CodeInvalidRequest, tooLarge, "message of %d bytes is over the limit of %d", f.Got, f.Limit)
	case jsonrpc.AnswerTooLarge:
		return Fault(protocol.CodeInvalidRequest, tooLarge, "the answer of %d bytes is over the limit of %d; ask for less at once", f.Got, f.Limit)
	}
	return InvalidRequest(f.Detail)
}

// InvalidRequest is the answer to a message that is not a request, or comes at the wrong time.
func InvalidRequest(detail string) *jsonrpc.Error {
	return Fault(protocol.CodeInvalidRequest, protocol.DetailData{ErrorData: Kind("invalidRequest"), Detail: detail}, "%s", "invalid request: "+detail)
}

// MethodNotFound is the answer to a method that is not served.
func MethodNotFound(method string) *jsonrpc.Error {
	return Fault(protocol.CodeMethodNotFound, protocol.DetailData{ErrorData: Kind("methodNotFound"), Detail: ""}, "method %.80q is not served", method)
}

// NotInitialized is the answer to what comes before initialize.
func NotInitialized(detail string) *jsonrpc.Error {
	return Fault(protocol.CodeServerNotInitialized, protocol.DetailData{ErrorData: Kind("serverNotInitialized"), Detail: detail}, "%s", detail)
}

// Kind is data that says no more than what kind of error it is.
func Kind(name protocol.ErrorKind) protocol.ErrorData { return protocol.ErrorData{Kind: name} }

// Retryable is Kind of what may succeed later.
func Retryable(name protocol.ErrorKind) protocol.ErrorData {
	return protocol.ErrorData{Kind: name, Retryable: true}
}
