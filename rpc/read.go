package rpc

import (
	"context"

	"github.com/pillion-sidecar/pillion/executor"
	"github.com/pillion-sidecar/pillion/rpc/convert"
	"github.com/pillion-sidecar/pillion/rpc/display"
	"github.com/pillion-sidecar/pillion/rpc/jsonrpc"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

// maxReads bounds the exec/read requests in flight.
const maxReads = 64

// execRead finds the command on the reader goroutine, so that a later exec/release doesn't
// overtake it and a cancel finds it, and reads beside it.
func (s *server) execRead(ctx context.Context, id jsonrpc.ID, p *protocol.ReadParams) (any, error) {
	q, err := convert.Read(p)
	if err != nil {
		return nil, err
	}
	r, err := s.reader(p)
	if err != nil {
		return nil, convert.Error(err, display.Asked{}, p.ExecID, s.log)
	}
	defer r.Close()
	// Not derived from ctx, as in guardCheck.
	until, stop := context.WithCancel(context.Background())
	defer stop()
	if err := s.begin(s.reads, id, stop); err != nil {
		return nil, err
	}
	defer s.done(s.reads, id)
	jsonrpc.Async(ctx)
	piece, err := r.Read(until, q)
	if err != nil {
		return nil, convert.Error(err, display.Asked{}, p.ExecID, s.log)
	}
	return convert.ReadResult(piece, q.Base64), nil
}

// execRelease does not end anything: a command that runs is left alone.
func (s *server) execRelease(p *protocol.ReleaseParams) (any, error) {
	if err := convert.OneOf(p.ExecID, p.Name); err != nil {
		return nil, err
	}
	if p.Name != "" {
		return protocol.ReleaseResult{Released: s.commands().ReleaseSaved(p.Name)}, nil
	}
	return protocol.ReleaseResult{Released: s.commands().Release(p.ExecID)}, nil
}

// reader finds what p names.
func (s *server) reader(p *protocol.ReadParams) (*executor.Reader, error) {
	if p.Name != "" {
		return s.commands().SavedReader(p.Name, executor.Stream(p.Stream))
	}
	return s.commands().Reader(p.ExecID, executor.Stream(p.Stream))
}
