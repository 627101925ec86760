package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pillion-sidecar/pillion/config"
)

func (p *program) policyCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "policy", Short: "Work with policy files", Args: cobra.NoArgs,
		Long: `A policy says what commands may do. Your own is policy.toml in
~/.config/pillion ($XDG_CONFIG_HOME/pillion); a repository's is .pillion.toml in
its root, which can only tighten. Neither need exist. docs/policy.md explains
every key.`,
	}
	var kind string
	validate := &cobra.Command{
		Use:   "validate FILE",
		Short: "Say what is wrong with a policy file, with line and column",
		Long: `validate reads a policy file as a session would, the examples of its rules
included. A workspace's file may only tighten. The exit code is 0 if the file is
right, else 1.`,
		Example: `  pillion policy validate ~/.config/pillion/policy.toml
  pillion policy validate .pillion.toml`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return p.validate(args[0], kind) },
	}
	validate.Flags().StringVar(&kind, "kind", "", "user or workspace (default by the file's name)")
	c.AddCommand(validate)
	return c
}

func (p *program) validate(path, kind string) error {
	if kind != "" && kind != string(config.UserFile) && kind != string(config.WorkspaceFileKind) {
		return fmt.Errorf("--kind %q: want user or workspace", kind)
	}
	err := config.ValidateFile(path, config.FileKind(kind))
	if err == nil {
		return p.print(visible(path) + ": ok\n")
	}
	p.code = 1
	for line := range strings.Lines(err.Error()) {
		fmt.Fprintln(p.stderr, visible(strings.TrimSpace(line)))
	}
	return nil
}
