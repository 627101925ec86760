package mcp

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

// Listening is where a server is reached by commands of its sandbox.
type Listening struct {
	Port    int    `json:"port" jsonschema:"0: it does not listen yet"`
	Address string `json:"address,omitempty"`
	Process string `json:"process,omitempty" jsonschema:"the program that listens"`
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
func (o *open) serving(ctx context.Context, at protocol.PortParams) *mcp.CallToolResult {
	id := o.params.ExecID
	text := "it runs, and listens on no port yet"
	if at.Port != 0 {
		text = fmt.Sprintf("%s listens on port %d of %s, and runs on; "+
			"commands with the same mode and network reach it there", plain(at.Process), at.Port, at.Address)
	}
	text += fmt.Sprintf(`; read its log with read_output {"execId":"%s","offset":-2000}, `+
		`and end it with answer {"execId":"%s","stop":true}`, id, id)
	return o.running(ctx, ExecReport{Listening: &Listening{at.Port, at.Address, at.Process}}, text)
}

// refuses says why a server can't be answered.
func (o *open) refuses(a AnswerArguments) error {
	if o.ready != nil && !a.Stop {
		return errors.New("a server reads no input; it can only be stopped")
	}
	return nil
}
