package cli

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/pillion-sidecar/pillion/config"
	"github.com/pillion-sidecar/pillion/rpc"
	"github.com/pillion-sidecar/pillion/rpc/mcp"
)

func (p *program) mcpCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "mcp",
		Short: "Serve one coding agent by the Model Context Protocol",
		Long: `mcp speaks the Model Context Protocol on standard input and output until standard
input ends. It offers the tools exec, check and read_output; what they do is judged,
confined and logged as with any editor, under the same policy.toml and .pillion.toml.

The workspace is what the host has as roots; of a host without any it is the
current directory. With --root the host's roots don't count.
docs/mcp.md says how to add it to a host.`,
		Example: `  pillion mcp
  pillion mcp --root ~/src/project`,
		Args: cobra.NoArgs,
	}
	roots := c.Flags().StringArray("root", nil, "a workspace folder, in place of the host's roots")
	c.RunE = func(*cobra.Command, []string) error {
		for i, r := range *roots {
			path, err := filepath.Abs(r)
			if err == nil {
				_, err = os.Stat(path)
			}
			if err != nil {
				return fmt.Errorf("--root: %w", err)
			}
			(*roots)[i] = path
		}
		p.code = p.serveMCP(*roots)
		return nil
	}
	return c
}

// serveMCP takes the standard streams away from everything else first, as serve does.
func (p *program) serveMCP(roots []string) int {
	in, out, err := rpc.PrivateStdio()
	if err != nil {
		fmt.Fprintln(p.stderr, "pillion:", err)
		return 1
	}
	conf, err := config.Default()
	if err != nil {
		fmt.Fprintln(p.stderr, "pillion:", err)
		return 1
	}
	dir, _ := os.Getwd() // "": then there is no workspace, and exec says so
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	w := rpc.NewLogWriter(os.Stderr)
	defer w.Close()
	return mcp.Serve(ctx, mcp.Options{
		In: in, Out: out, Config: conf, Own: own(), Version: p.version, Roots: roots, Dir: dir, Words: toolWords(),
		Log: slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: slog.LevelWarn})),
	})
}

// toolWords are the texts of exec and check, without colours.
func toolWords() mcp.Words {
	of := func(p rpc.ExecParams) asked { return asked{command: p.Command, argv: p.Argv, commands: p.Commands} }
	return mcp.Words{
		Refusal: func(err error, p rpc.ExecParams) string {
			return strings.Join(explainCommand(err, of(p), painter{}).lines, "\n")
		},
		Verdict: func(v rpc.CheckVerdict, p rpc.ExecParams) string {
			j := judged{GuardVerdict: v.GuardVerdict}
			if len(v.Findings) > 0 {
				j.Message = v.Findings[0].Message
			}
			return strings.TrimRight(report(j, of(p), nil, painter{}), "\n")
		},
		Ending: summary,
	}
}
