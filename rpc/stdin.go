package rpc

import (
	"context"

	"github.com/pillion-sidecar/pillion/rpc/convert"
	"github.com/pillion-sidecar/pillion/rpc/display"
	"github.com/pillion-sidecar/pillion/rpc/jsonrpc"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

// execWrite takes its place among the writes of a command on the reader goroutine,
// and waits beside it until the command has read enough.
func (s *server) execWrite(ctx context.Context, id jsonrpc.ID, p *protocol.WriteParams) (any, error) {
	w, err := convert.Write(p)
	if err != nil {
		return nil, err
	}
	// Not derived from ctx, as in guardCheck.
	until, stop := context.WithCancel(context.Background())
	defer stop()
	if err := s.begin(s.writes, id, stop); err != nil {
		return nil, err
	}
	defer s.done(s.writes, id)
	if err := s.commands().Write(p.ExecID, w); err != nil {
		return nil, convert.Error(err, display.Asked{}, p.ExecID, s.log)
	}
	jsonrpc.Async(ctx)
	done, err := w.Wait(until)
	if err != nil {
		return nil, convert.Error(err, display.Asked{}, p.ExecID, s.log)
	}
	return protocol.WriteResult{Status: done.State, AcceptedBytes: done.Accepted, Offset: done.Offset}, nil
}

// maxWrites bounds the exec/write requests in flight.
const maxWrites = 256

func (s *server) execSignal(p *protocol.SignalParams) (any, error) {
	delivered, err := s.commands().Signal(p.ExecID, p.Signal)
	if err != nil {
		return nil, convert.Error(err, display.Asked{}, p.ExecID, s.log)
	}
	return protocol.SignalResult{Delivered: delivered}, nil
}

func (s *server) execResize(p *protocol.ResizeParams) (any, error) {
	if err := s.commands().Resize(p.ExecID, p.Size.Rows, p.Size.Cols); err != nil {
		return nil, convert.Error(err, display.Asked{}, p.ExecID, s.log)
	}
	return nil, nil
}

func (s *server) execCancelAll(*protocol.CancelAllParams) (any, error) {
	return protocol.CancelAllResult{Signalled: s.commands().CancelAll()}, nil
}
