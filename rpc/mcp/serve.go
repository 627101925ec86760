package mcp

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/sourcegraph/conc"

	"github.com/pillion-sidecar/pillion/config"
	"github.com/pillion-sidecar/pillion/rpc"
)

// flushTime is what the last answers get to leave once the host has gone.
const flushTime = 500 * time.Millisecond

// Options are what Serve runs with.
type Options struct {
	In  io.ReadCloser
	Out io.WriteCloser

	Config  config.Config // the user's
	Own     []string      // pillion's own files, which no workspace may hold
	Version string
	Roots   []string // the workspace; empty: the host's roots
	Dir     string   // the workspace of a host that has no roots, "" for none
	Words   Words
	Log     *slog.Logger
}

// Words are the texts of the command line, which a model reads as well as a person.
type Words struct {
	Refusal func(err error, p rpc.ExecParams) string // why nothing was started, with the place
	Verdict func(v rpc.CheckVerdict, p rpc.ExecParams) string
	Ending  func(r rpc.ExecResult) string // what was enforced and how it ended, a line
}

// versions are those in which a server may ask the host something while a tool
// runs, as approvals and roots do. A host of a newer one is told so, and falls back.
var versions = []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}

// Serve speaks MCP on In and Out until the host is gone, which is how a session
// ends, and returns the exit code. When it returns no process of any command is
// alive.
func Serve(ctx context.Context, o Options) (exitCode int) {
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
	if err != nil && !errors.Is(err, io.EOF) && ctx.Err() == nil {
		o.Log.Warn("the host is gone", "error", err)
		return 1
	}
	return 0
}
