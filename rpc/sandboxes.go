package rpc

import (
	"context"

	"github.com/pillion-sidecar/pillion/rpc/convert"
	"github.com/pillion-sidecar/pillion/rpc/jsonrpc"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

// sandboxList looks at processes, so the reader goes on meanwhile.
func (s *server) sandboxList(ctx context.Context, _ jsonrpc.ID, _ *protocol.SandboxListParams) (any, error) {
	engine := s.commands()
	jsonrpc.Async(ctx)
	out := protocol.SandboxListResult{Sandboxes: []protocol.SandboxInfo{}}
	for _, i := range engine.Sandboxes() {
		out.Sandboxes = append(out.Sandboxes, convert.SandboxInfo(i))
	}
	return out, nil
}

// sandboxReset is answered when everything of the sandbox is gone.
func (s *server) sandboxReset(ctx context.Context, _ jsonrpc.ID, p *protocol.SandboxResetParams) (any, error) {
	engine := s.commands()
	jsonrpc.Async(ctx)
	killed, err := engine.Reset(p.Name, p.Force)
	if err != nil {
		return nil, err // handle makes the answer of it
	}
	return protocol.SandboxResetResult{Killed: killed}, nil
}
