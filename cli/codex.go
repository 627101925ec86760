package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/pillion-sidecar/pillion/config"
	"github.com/pillion-sidecar/pillion/rpc/agent/codex"
	"github.com/pillion-sidecar/pillion/rpc/client"
	"github.com/pillion-sidecar/pillion/rpc/jsonrpc"
)

func (p *program) codexCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "codex-server",
		Short: "Run the commands and file edits of Codex in the sandbox",
		Long: `codex-server is an execution server for Codex, which starts it as one of its
environments; pillion connect codex puts it into environments.toml. It speaks
Codex' protocol on standard input and output until standard input ends.`,
		Args: atMost(0),
		RunE: func(*cobra.Command, []string) error { return p.codexServer() },
	}
}

func (p *program) codexServer() error {
	conf, err := config.Default()
	if err != nil {
		return err
	}
	conf.Limits.StreamMaxBytes = 1 << 50
	conf.Grants.NoTimeout = true // Codex ends what takes too long
	in, out, err := jsonrpc.PrivateStdio()
	if err != nil {
		return err
	}
	cwd, err := os.Getwd()
	if err != nil {
		return err
	}
	shell := "/bin/sh"
	if agentShell() != "" {
		shell = "/bin/bash"
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	outliveStderr()
	return codex.Serve(ctx, in, out, codex.Host{
		Cwd: cwd, Shell: shell,
		Reason: func(err error) string { return refusalFor(err, explain(err)) },
		Open: func(ctx context.Context, folders []string, events func(client.Event)) (codex.Session, error) {
			return p.codexSession(ctx, conf, folders, events)
		},
	})
}

func (p *program) codexSession(ctx context.Context, conf config.Config, folders []string, events func(client.Event)) (codex.Session, error) {
	c, err := dial(ctx, conf, p.version, "", client.Options{Event: events})
	if err != nil {
		return nil, err
	}
	hello := greeting(p.version, folders...)
	hello.ClientInfo.Name += " codex-server"
	if _, err := c.Initialize(ctx, hello, config.InitOptions{}); err != nil {
		_ = c.Close(ctx)
		return nil, err
	}
	return c, nil
}
