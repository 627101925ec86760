package rpc

import (
	"context"

	"go.lsp.dev/jsonrpc2"

	"github.com/pillion-sidecar/pillion/executor"
)

// shutdown ends all commands; each is answered before this request is.
func (s *server) shutdown(ctx context.Context, _ *jsonrpc2.Request) (any, error) {
	s.mu.Lock()
	s.phase, s.asked = shuttingDown, true
	engine, grace := s.engine, s.conf.ShutdownGrace
	s.mu.Unlock()
	s.settings.stop()
	jsonrpc2.Async(ctx)
	engine.Stop(executor.Shutdown, grace)
	s.stream.drained(1) // this one
	return nil, nil
}

// exit ends the connection at once.
func (s *server) exit(context.Context, *jsonrpc2.Request) (any, error) {
	s.end(ending{why: "exit"})
	return nil, nil
}
