package mcp

import (
	"context"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pillion-sidecar/pillion/executor"
	"github.com/pillion-sidecar/pillion/rpc/display"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

// Listening is where a server is reached by commands of its sandbox.
type Listening struct {
	Port    int    `json:"port" jsonschema:"0: it does not listen yet"`
	Address string `json:"address,omitempty"`
	Process string `json:"process,omitempty" jsonschema:"the program that listens"`
	URL     string `json:"url,omitempty" jsonschema:"where the user's browser reaches it; absent: nobody has let the port out"`
}

// serverTime is how long a server runs at most, readyTime how long a call waits for it to
// listen.
const (
	serverTime = 12 * time.Hour
	readyTime  = time.Minute
)

// listens gets a port.
func (s *session) listens(p protocol.PortParams) {
	s.mu.Lock()
	o := s.open[p.ExecID]
	s.mu.Unlock()
	if o == nil || o.ready == nil || !p.Listening {
		return
	}
	select {
	case o.ready <- p:
	default: // it is ready since the first
	}
}

// patience ends a call that waits for a server; a nil channel is never ready.
func (o *open) patience() <-chan time.Time {
	if o.ready == nil {
		return nil
	}
	return time.After(readyTime)
}

// serving is the result of a server that runs.
func (o *open) serving(ctx context.Context, at protocol.PortParams, url string) *mcp.CallToolResult {
	id := o.params.ExecID
	text := "it runs, and listens on no port yet"
	if at.Port != 0 {
		text = fmt.Sprintf("%s listens on port %d of %s, and runs on; "+
			"commands with the same mode and network reach it there", plain(at.Process), at.Port, at.Address)
	}
	switch {
	case url != "":
		text += "; the user's browser has it at " + url
	case o.forward:
		text += "; nobody has let its port out: only the user can"
	}
	text += fmt.Sprintf(`; read its log with read_output {"execId":"%s","offset":-2000}, `+
		`and end it with answer {"execId":"%s","stop":true}`, id, id)
	return o.running(ctx, ExecReport{Listening: &Listening{at.Port, at.Address, plain(at.Process), url}}, text)
}

// letOut asks the person about the port of a server, and is the address that it then has, "" after a
// no. Until it is called nothing of the host reaches the server.
func (s *session) letOut(ctx context.Context, o *open, at protocol.PortParams) (url string) {
	s.mu.Lock()
	host := s.host
	s.mu.Unlock()
	if !o.forward || at.Port == 0 || !elicits(host) {
		return ""
	}
	form := decisions([]string{choiceNo, choiceOnce}, []string{"Don't", "Let it out, for as long as the command listens"})
	if decide(ctx, host, portQuestion(o.params, at), form) != choiceOnce {
		return ""
	}
	var r protocol.ForwardResult
	p := protocol.ForwardParams{ExecID: o.params.ExecID, Port: at.Port}
	if err := o.conn.Call(ctx, "exec/forward", p, &r); err != nil {
		s.o.Log.Warn("a port is not let out", "err", err)
		return ""
	}
	return "http://" + r.Address
}

// portQuestion says what is let out, and of which command.
func portQuestion(p protocol.ExecParams, at protocol.PortParams) string {
	text := executor.Text{Command: p.Command, Argv: p.Argv, Commands: p.Commands}
	return fmt.Sprintf("Let the programs of this machine, such as your browser, reach port %d of %s in the sandbox?\nThe command: %s",
		at.Port, display.Line(at.Process), display.Line(text.String()))
}

// refuses says why a server can't be answered.
func (o *open) refuses(a AnswerArguments) error {
	if o.ready != nil && !a.Stop {
		return protocol.Invalid("/stop", "true: a server reads no input", "false")
	}
	return nil
}
