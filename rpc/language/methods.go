package language

import (
	"context"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/pillion-sidecar/pillion/rpc/convert"
	"github.com/pillion-sidecar/pillion/rpc/jsonrpc"
)

// handle is the one handler of the connection.
func (s *server) handle(_ context.Context, req *jsonrpc.Request) (any, error) {
	return convert.Handle(s.log, req, func() (any, error) { return s.dispatch(req) })
}

func (s *server) dispatch(req *jsonrpc.Request) (any, error) {
	if !s.greeted && req.IsCall() && req.Method() != "initialize" {
		return nil, convert.NotInitialized("the first request must be initialize")
	}
	switch req.Method() {
	case "initialize":
		s.greeted = true
		return s.hello(), nil
	case "shutdown":
		s.asked = true
	case "exit":
		s.end()
	case "textDocument/didOpen", "textDocument/didChange", "textDocument/didSave", "textDocument/didClose",
		"textDocument/hover", "textDocument/completion", "textDocument/codeAction":
		// Editors send more than is of use here, so members are not checked as strictly as ours.
		var p params
		if err := json.Unmarshal(req.Params(), &p, jsontext.AllowInvalidUTF8(true)); err != nil {
			return nil, jsonrpc.NewError(jsonrpc.InvalidParams, "invalid params: "+err.Error())
		}
		return s.document(req.Method(), p)
	default:
		if req.IsCall() {
			return nil, convert.MethodNotFound(req.Method())
		}
	}
	return nil, nil
}

func (s *server) hello() any {
	return object{
		"serverInfo": object{"name": "pillion policy", "version": s.version},
		"capabilities": object{
			"positionEncoding":   "utf-16",
			"textDocumentSync":   object{"openClose": true, "change": 1, "save": true}, // the whole text
			"hoverProvider":      true,
			"completionProvider": object{"triggerCharacters": []string{"[", ".", "=", `"`}},
			"codeActionProvider": object{"codeActionKinds": []string{quickFix}},
		},
	}
}

// document serves what is about one file. Of a file that is not open there is nothing to
// say.
func (s *server) document(method string, p params) (any, error) {
	uri := p.TextDocument.URI
	switch method {
	case "textDocument/didOpen":
		if len(s.open) < maxOpen {
			s.changed(uri, p.TextDocument.Version, p.TextDocument.Text)
		}
		return nil, nil
	case "textDocument/didClose":
		delete(s.open, uri)
		s.publish(uri, 0, nil)
		return nil, nil
	}
	d := s.open[uri]
	if d == nil {
		return nil, nil
	}
	switch method {
	case "textDocument/didChange":
		if n := len(p.ContentChanges); n > 0 {
			s.changed(uri, p.TextDocument.Version, p.ContentChanges[n-1].Text)
		}
	case "textDocument/didSave": // what others may do with the file is known now
		s.changed(uri, d.version, d.text.s)
	case "textDocument/hover":
		return d.hover(d.text.offset(p.Position)), nil
	case "textDocument/completion":
		return d.completions(d.text.offset(p.Position)), nil
	case "textDocument/codeAction":
		return d.actions(uri, p.Range), nil
	}
	return nil, nil
}
