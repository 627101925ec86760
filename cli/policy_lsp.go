package cli

import (
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/pillion-sidecar/pillion/rpc/jsonrpc"
	"github.com/pillion-sidecar/pillion/rpc/language"
)

// policySchema is where the root has it embedded.
const policySchema = "docs/policy.schema.json"

func (p *program) lspCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "lsp",
		Short: "Help an editor with policy files, as a language server",
		Long: `lsp speaks the Language Server Protocol on standard input and output. In
.pillion.toml and policy.toml it marks what a session would refuse, in the same
words, offers to mend it, completes keys and values and explains them. The
extension of VS Code and the plugin of Neovim start it by themselves.`,
		Example: `  pillion policy lsp   # what an editor starts`,
		Args:    atMost(0),
		RunE:    func(*cobra.Command, []string) error { return p.lsp() },
	}
	c.Flags().Bool("stdio", false, "use standard input and output (always so; for editors that pass the flag)")
	return c
}

func (p *program) lsp() error {
	schema, err := fs.ReadFile(p.protocol, policySchema)
	if err != nil {
		return err
	}
	in, out, err := jsonrpc.PrivateStdio()
	if err != nil {
		return fmt.Errorf("standard input and output: %w", err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	outliveStderr()
	w := jsonrpc.NewLogWriter(os.Stderr)
	defer w.Close()
	p.code = language.Serve(ctx, language.Options{
		In: in, Out: out, Schema: schema, Version: p.version, Log: slog.New(slog.NewTextHandler(w, nil)),
	})
	return nil
}
