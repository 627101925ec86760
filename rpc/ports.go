package rpc

import (
	"net"
	"strconv"

	"github.com/pillion-sidecar/pillion/executor"
	"github.com/pillion-sidecar/pillion/rpc/convert"
	"github.com/pillion-sidecar/pillion/rpc/display"
	"github.com/pillion-sidecar/pillion/rpc/jsonrpc"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

// listens sends the client a port. One that doesn't keep up misses some: a command that
// opens and closes ports without end must not fill memory.
func (s *server) listens(p executor.Port) {
	s.w.Offer(jsonrpc.Notification("exec/port", protocol.PortParams{
		ExecID: p.ID, Port: p.Number, Address: p.Address, Process: display.Line(p.Process),
		Listening: p.Listening,
	}))
}

// execForward is a person's yes to one port, as exec/retry is one to what it gives.
func (s *server) execForward(p *protocol.ForwardParams) (any, error) {
	if !s.client.Exec.Grants {
		return nil, convert.InvalidRequest(
			"exec/forward is for clients that announced exec.grants: a person gives the port")
	}
	host, err := s.commands().Forward(p.ExecID, p.Port, p.HostPort)
	if err != nil {
		return nil, convert.Error(err, display.Asked{}, p.ExecID, s.log)
	}
	s.record().Forwarded(p.ExecID, p.Port, host)
	at := net.JoinHostPort("127.0.0.1", strconv.Itoa(host))
	return protocol.ForwardResult{HostPort: host, Address: at}, nil
}
