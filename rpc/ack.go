package rpc

import (
	"github.com/pillion-sidecar/pillion/rpc/display"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

// defaultWindow is how much output may be on its way to a client that acknowledges:
// a few chunks, so that the way there and back costs nothing, and little enough to
// be out of an editor's way at once.
const defaultWindow = 256 << 10

// window is how much output of a command may be on its way, 0 for any amount.
func (s *server) window(p *protocol.ExecParams) (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case !s.acks && p.Output.Window != 0:
		return 0, protocol.Invalid("/output/window", "capabilities.exec.ack in initialize: without acknowledgements the output would stop", "a client that does not announce it")
	case s.acks && p.Output.Window == 0:
		return defaultWindow, nil
	}
	return p.Output.Window, nil
}

// execAck is served on the reader's goroutine, like a cancel: what waits for credit must
// never wait for another request.
func (s *server) execAck(p *protocol.AckParams) (any, error) {
	if !s.commands().Ack(p.ExecID, p.Consumed) {
		s.log.Debug("ack ignored", "exec", display.Line(p.ExecID), "consumed", p.Consumed)
	}
	return nil, nil
}
