package cli

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/pillion-sidecar/pillion/cli/sibling"
	"github.com/pillion-sidecar/pillion/cli/terminal"
	"github.com/pillion-sidecar/pillion/config"
	"github.com/pillion-sidecar/pillion/rpc/agent"
	"github.com/pillion-sidecar/pillion/rpc/jsonrpc"
)

// MainMCP runs the command line of pillion-mcp and returns the exit code. serve speaks the
// protocol; this package doesn't import its libraries.
func MainMCP(args []string, version string, serve func(context.Context, agent.Host) int) int {
	p := &program{version: version, stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr}
	c := p.agentCommand(serve)
	c.SetArgs(args)
	c.SetOut(p.stdout)
	c.SetErr(p.stderr)
	if err := c.Execute(); err != nil {
		fmt.Fprintln(p.stderr, "pillion-mcp:", err)
		return 2
	}
	return p.code
}

func (p *program) agentCommand(serve func(context.Context, agent.Host) int) *cobra.Command {
	c := &cobra.Command{
		Use:   "pillion-mcp",
		Short: "Serves one coding agent by the Model Context Protocol",
		Long: `pillion-mcp speaks the Model Context Protocol on standard input and output until
standard input ends. It offers the tools exec, answer, check, read_output and undo; what they do is
judged, confined and logged as with any editor, under the same policy.toml and
.pillion.toml.

The workspace is what the host has as roots; of a host without any it is the
current directory. With --root the host's roots don't count.
docs/mcp.md says how to add it to a host.`,
		Example: `  pillion-mcp
  pillion-mcp --root ~/src/project`,
		Args: atMost(0), SilenceErrors: true, SilenceUsage: true,
		Version: p.built(),
	}
	c.SetVersionTemplate("pillion-mcp {{.Version}}\n")
	c.CompletionOptions.DisableDefaultCmd = true
	c.SetFlagErrorFunc(flagError)
	roots := c.Flags().StringArray("root", nil, "a workspace folder, in place of the host's roots")
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		folders, err := absolute("--root", *roots)
		if err != nil {
			return err
		}
		if terminal.IsTerminal(p.stdin) {
			return cmd.Help()
		}
		p.code = p.serveAgent(folders, serve)
		return nil
	}
	return c
}

// serveAgent takes the standard streams away from everything else first, as serve
// does.
func (p *program) serveAgent(roots []string, serve func(context.Context, agent.Host) int) int {
	in, out, err := jsonrpc.PrivateStdio()
	if err != nil {
		fmt.Fprintln(p.stderr, "pillion-mcp:", err)
		return 1
	}
	conf, err := config.Default()
	if err != nil {
		fmt.Fprintln(p.stderr, "pillion-mcp:", err)
		return 1
	}
	dir, _ := os.Getwd() // "": then there is no workspace, and exec says so
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	outliveStderr()
	w := jsonrpc.NewLogWriter(os.Stderr)
	defer w.Close()
	return serve(ctx, agent.Host{
		In: in, Out: out, Config: conf, Own: append(own(), beside(own())...), Version: p.version, Roots: roots, Dir: dir,
		Log: slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: slog.LevelWarn})),
	})
}

// beside is the sidecar that editors start, where it is installed with this program.
func beside(own []string) (list []string) {
	for _, exe := range own {
		list = append(list, filepath.Join(filepath.Dir(exe), "pillion"+filepath.Ext(exe)))
	}
	return list
}

// mcpCommand starts pillion-mcp, so that a host needs one name only.
func (p *program) mcpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "mcp [flags of pillion-mcp]",
		Short: "Serve one coding agent: starts pillion-mcp",
		Long: `mcp becomes pillion-mcp, which serves coding agents by the Model Context Protocol.
It is looked for beside pillion, and gets all arguments: see pillion mcp --help. docs/mcp.md shows how to add it to an agent.`,
		DisableFlagParsing: true,
		RunE: func(_ *cobra.Command, args []string) (err error) {
			p.code, err = sibling.Run("pillion-mcp", args)
			return err
		},
	}
}
