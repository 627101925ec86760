package cli

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pillion-sidecar/pillion/executor"
	"github.com/pillion-sidecar/pillion/rpc/display"
	"github.com/pillion-sidecar/pillion/rpc/jsonrpc"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

func result(code int, signal, reason string) protocol.ExecResult {
	r := protocol.ExecResult{Reason: executor.Reason(reason), DurationMs: 12, Cancelled: reason == "cancelled", TimedOut: reason == "timedOut"}
	if signal != "" {
		r.Signal = &signal
	} else {
		r.ExitCode = &code
	}
	return r
}

func TestExitCodeIsAShells(t *testing.T) {
	for _, tc := range []struct {
		r    protocol.ExecResult
		want int
	}{
		{result(0, "", "exited"), 0},
		{result(42, "", "exited"), 42},
		{result(0, "SIGKILL", "exited"), 137},
		{result(0, "SIGTERM", "timedOut"), 143},
		{result(7, "", "timedOut"), 7},
		{result(0, "", "timedOut"), 1}, // stopped, so not a success
		{result(0, "", "sandboxLost"), 1},
		{result(0, "SIGTERM", "cancelled"), 130},
		{result(0, "", "cancelled"), 130},
	} {
		if got := exitCode(tc.r); got != tc.want {
			t.Errorf("%s: got %d, want %d", display.Ended(tc.r), got, tc.want)
		}
	}
}

func TestExplain(t *testing.T) {
	wire := func(code jsonrpc.Code, message, data string) error {
		return &jsonrpc.Error{Code: code, Message: message, Data: jsonrpc.RawMessage(data)}
	}
	for name, tc := range map[string]struct {
		err   error
		code  int
		lines []string
	}{
		"not from the server": {io.ErrUnexpectedEOF, 125, []string{"unexpected EOF"}},
		"denied, with reason and alternative": {
			wire(-31001, "denied: recursive delete of /", `{"kind":"guardDenied","started":false,"verdict":{"decision":"deny","findings":[
				{"ruleId":"fs/rm-root","decision":"deny","message":"m","explanation":"It deletes everything.","suggestion":{"title":"delete in the workspace","command":"rm -rf ./build"}},
				{"ruleId":"other","decision":"ask","message":"m","explanation":"not the reason"}]}}`),
			125,
			[]string{
				"denied: recursive delete of /", "  why      It deletes everything.",
				"  instead  delete in the workspace: rm -rf ./build", "  rule     fs/rm-root", "", "also  1 more (other)",
			},
		},
		"no such program":   {wire(-31006, "cannot start x: no such file", `{"kind":"spawnFailed","errno":"ENOENT"}`), 127, []string{"cannot start x: no such file"}},
		"not a program":     {wire(-31006, "cannot start x: permission denied", `{"kind":"spawnFailed","errno":"EACCES"}`), 126, []string{"cannot start x: permission denied"}},
		"cancelled earlier": {wire(-32800, "cancelled while queued", `{"kind":"cancelled","phase":"queued"}`), 130, []string{"cancelled while queued"}},
		"no data":           {wire(-32603, "internal error", ""), 125, []string{"internal error"}},
	} {
		t.Run(name, func(t *testing.T) {
			f := explain(tc.err)
			if f.code != tc.code {
				t.Errorf("exit code %d, want %d", f.code, tc.code)
			}
			if d := cmp.Diff(tc.lines, f.lines); d != "" {
				t.Error(d)
			}
		})
	}
	if got := string(explain(errors.New("a\xff\"b")).json()); !strings.HasPrefix(got, `{"type":"error","error":{"code":0,"message":"a`) {
		t.Errorf("as JSON: %s", got)
	}
}
