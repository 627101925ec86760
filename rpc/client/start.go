package client

import (
	"context"
	"io"
	"os/exec"

	"github.com/sourcegraph/conc"

	"github.com/pillion-sidecar/pillion/rpc"
)

// InProcess is a client of a server in this process, whose In and Out it sets. The
// server ends with the session, and with ctx; then its Sandbox is closed.
func InProcess(ctx context.Context, server rpc.Options, o Options) *Client {
	in, requests := io.Pipe()
	answers, out := io.Pipe()
	server.In, server.Out = in, out
	c := New(answers, requests, o)
	var serving conc.WaitGroup
	serving.Go(func() {
		rpc.Serve(ctx, server)
		// However it ended: no answer comes any more.
		_, _ = in.Close(), out.Close()
		if server.Sandbox != nil {
			server.Sandbox.Close()
		}
	})
	c.wait = func() error { serving.Wait(); return nil }
	return c
}

// Spawn starts a sidecar, which ends with the session. Wait and Close return how it
// exited.
func Spawn(cmd *exec.Cmd, o Options) (*Client, error) {
	out, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	in, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	c := New(in, out, o)
	c.wait = cmd.Wait
	return c, nil
}
