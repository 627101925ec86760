package cli

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/pillion-sidecar/pillion/cli/terminal"
	"github.com/pillion-sidecar/pillion/rpc/display"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

// failure is an error before anything was started, for a person.
type failure struct {
	lines []string
	code  int
	wire  any // what --json prints
}

// failureData is the part of every error's data that changes what is shown.
type failureData struct {
	Kind    string                `json:"kind"`
	Errno   string                `json:"errno"`
	Path    string                `json:"path"`
	Verdict protocol.GuardVerdict `json:"verdict"`
}

// wireJSON is an error as --json prints it.
type wireJSON struct {
	Type  string `json:"type"` // "error"
	Error struct {
		Code    int            `json:"code"`
		Message string         `json:"message"`
		Data    jsontext.Value `json:"data,omitzero"`
	} `json:"error"`
}

// explain says what is wrong, why, and what to do instead. Server and library
// texts are one sentence each; the rest comes from the error's data.
func explain(err error) failure { return explainCommand(err, display.Asked{}, terminal.Painter{}) }

// explainCommand also shows where in the command the trouble is.
func explainCommand(err error, a display.Asked, p terminal.Painter) failure {
	out := wireJSON{Type: "error"}
	out.Error.Message = err.Error()
	f := failure{lines: []string{err.Error()}, code: codeNotStarted}
	if wire, ok := wireFault(err); ok {
		out.Error.Code, out.Error.Message, out.Error.Data = int(wire.Code), wire.Message, jsontext.Value(wire.Data)
		f.lines = []string{display.Spelled(wire.Message)}
		var d failureData
		if len(wire.Data) > 0 && json.Unmarshal(wire.Data, &d) == nil {
			f.code = startCode(d)
			f.lines[0] = display.Spelled(flagged(wire.Message, d.Path))
			f.lines = append(f.lines, p.Rows(display.Verdict(d.Verdict, a))...)
		}
	}
	f.wire = out
	return f
}

// verdictOf is the guard's verdict in err, if that is why nothing was started.
func verdictOf(err error) (protocol.GuardVerdict, bool) {
	wire, ok := wireFault(err)
	var d failureData
	if !ok || len(wire.Data) == 0 || json.Unmarshal(wire.Data, &d) != nil {
		return protocol.GuardVerdict{}, false
	}
	return d.Verdict, len(d.Verdict.Findings) > 0
}

// places are where the server gets the values of exec's flags.
var places = []struct{ path, flag string }{
	{"/sandbox/mode", "--mode"},
	{"/sandbox/network", "--network"},
	{"/sandbox/reads", "--reads"},
	{"/sandbox/writable", "--writable"},
	{"/timeoutMs", "--timeout"},
	{"/initializationOptions/policy/network/allow/", "--host"},
	{"/initializationOptions/policy/network/sockets", "--socket"},
	{"/initializationOptions/policy/network/ports", "--host-port"},
	{"/initializationOptions/policy/network/credentials", "--git-credentials"},
	{"/initializationOptions/policy/readable", "--readable"},
	{"/initializationOptions/policy/writable", "--writable"},
}

// flagged names a flag where the server names a member of its request.
func flagged(message, path string) string {
	rest, ok := strings.CutPrefix(message, path+": ")
	for _, p := range places {
		if ok && strings.HasPrefix(path, p.path) {
			return p.flag + ": " + rest
		}
	}
	return message
}

// startCode follows the shells: 127 for a program that isn't there, 126 for one
// that can't be run.
func startCode(d failureData) int {
	switch {
	case d.Kind == "cancelled":
		return codeCancelled
	case d.Kind == "spawnFailed" && d.Errno == "ENOENT":
		return codeNotFound
	case d.Kind == "spawnFailed":
		return codeCannotRun
	}
	return codeNotStarted
}

func (f failure) json() []byte {
	b, err := json.Marshal(f.wire, jsontext.AllowInvalidUTF8(true))
	if err != nil { // strings and numbers only
		return []byte(`{"type":"error","error":{"code":0,"message":"unprintable error"}}`)
	}
	return b
}
