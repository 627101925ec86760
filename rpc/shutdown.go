package rpc

import (
	"context"

	"github.com/pillion-sidecar/pillion/executor"
	"github.com/pillion-sidecar/pillion/rpc/jsonrpc"
)

// shutdown ends all commands; each is answered before this request is.
func (s *server) shutdown(ctx context.Context, _ *jsonrpc.Request) (any, error) {
	s.mu.Lock()
	s.phase, s.asked = shuttingDown, true
	engine, grace := s.engine, s.conf.ShutdownGrace
	s.mu.Unlock()
	s.settings.stop()
	jsonrpc.Async(ctx)
	engine.Stop(executor.Shutdown, grace)
	s.stream.Drained(1) // this one
	return nil, nil
}

// exit ends the connection at once.
func (s *server) exit(context.Context, *jsonrpc.Request) (any, error) {
	s.end(ending{why: "exit"})
	return nil, nil
}
