package mcp

//lint:file-ignore SA1019 hosts tell their folders by roots, in every version that is served

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/sourcegraph/conc"

	"github.com/pillion-sidecar/pillion/rpc/agent"
)

// flushTime is what the last answers get to leave once the host has gone.
const flushTime = 500 * time.Millisecond

// versions are those in which a server may ask the host something while a tool runs, as
// approvals and roots do. A host of a newer one gets this as the answer, and falls back.
var versions = []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}

// Serve serves MCP on In and Out until the host is gone, which is how a session ends, and
// returns the exit code. When it returns no process of any command is alive.
func Serve(ctx context.Context, o agent.Host) (exitCode int) {
	s := newSession(o)
	server := mcp.NewServer(&mcp.Implementation{Name: "pillion", Title: "pillion: commands in a sandbox", Version: o.Version}, &mcp.ServerOptions{
		Instructions: instructions, Logger: o.Log, SupportedProtocolVersions: versions,
		Capabilities:            &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}},
		InitializedHandler:      func(_ context.Context, r *mcp.InitializedRequest) { s.begin(r.Session) },
		RootsListChangedHandler: func(_ context.Context, r *mcp.RootsListChangedRequest) { s.rootsChanged(r.Session) },
	})
	s.addTools(server)
	t := newTransport(o.In, o.Out, s.hangUp)
	host, err := server.Connect(ctx, t, nil)
	if err != nil {
		o.Log.Error("cannot start", "error", err)
		return 1
	}
	var stop conc.WaitGroup
	done := make(chan struct{})
	stop.Go(func() {
		select {
		case <-ctx.Done():
			_ = t.Close()
		case <-done:
		}
	})
	err = host.Wait()
	close(done)
	stop.Wait()
	s.close()
	t.finish()
	// What a host that has left did not read any more is not a failure.
	if err != nil && !t.left.Load() && !errors.Is(err, io.EOF) && ctx.Err() == nil {
		o.Log.Warn("the host is gone", "error", err)
		return 1
	}
	return 0
}
