package rpc

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"go.lsp.dev/jsonrpc2"
)

// fault makes an error answer. A plain Go error would go out with code 0.
func fault(code jsonrpc2.Code, data any, format string, args ...any) *jsonrpc2.Error {
	text := format
	if len(args) > 0 {
		text = fmt.Sprintf(format, args...)
	}
	e := jsonrpc2.NewError(code, clip(strings.ToValidUTF8(text, "\uFFFD")))
	raw, err := json.Marshal(data, wireOptions)
	if err != nil {
		panic(err) // every data type is ours and marshals
	}
	e.Data = raw
	return e
}

// maxErrorText bounds what an error says: much of it is what a client has sent.
const maxErrorText = 8 << 10

// clip cuts a text that is too long, between characters.
func clip(text string) string {
	if len(text) <= maxErrorText {
		return text
	}
	return strings.ToValidUTF8(text[:maxErrorText], "") + "…"
}

func parseError(err error) *jsonrpc2.Error {
	return fault(CodeParse, DetailData{kind("parseError"), err.Error()}, "%s", "not valid JSON: "+err.Error())
}

func invalidRequest(detail string) *jsonrpc2.Error {
	return fault(CodeInvalidRequest, DetailData{kind("invalidRequest"), detail}, "%s", "invalid request: "+detail)
}

func messageTooLarge(limit, got int64) *jsonrpc2.Error {
	return fault(CodeInvalidRequest, MessageTooLargeData{kind("messageTooLarge"), limit, got},
		"message of %d bytes is over the limit of %d", got, limit)
}

// answerTooLarge stands in for an answer that does not fit into a message.
func answerTooLarge(limit, got int64) *jsonrpc2.Error {
	return fault(CodeInvalidRequest, MessageTooLargeData{kind("messageTooLarge"), limit, got},
		"the answer of %d bytes is over the limit of %d; ask for less at once", got, limit)
}

func methodNotFound(method string) *jsonrpc2.Error {
	return fault(CodeMethodNotFound, DetailData{kind("methodNotFound"), ""}, "method %.80q is not served", method)
}

func notInitialized(detail string) *jsonrpc2.Error {
	return fault(CodeServerNotInitialized, DetailData{kind("serverNotInitialized"), detail}, "%s", detail)
}

func invalidParams(path, expected, got string) *jsonrpc2.Error {
	return wrong(path, expected, got).fault()
}

func (d *InvalidParamsData) fault() *jsonrpc2.Error {
	d.ErrorData = kind("invalidParams")
	where := d.Path
	if where == "" {
		where = "params"
	}
	return fault(CodeInvalidParams, *d, "%s: expected %s, got %s", where, d.Expected, d.Got)
}

func kind(name string) ErrorData { return ErrorData{Kind: name} }

func retryable(name string) ErrorData { return ErrorData{Kind: name, Retryable: true} }
