package cli

import "github.com/spf13/cobra"

func (p *program) policyCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "policy", Short: "Work with policy files",
		Long: `A policy says what commands may do. Your own is policy.toml in
~/.config/pillion ($XDG_CONFIG_HOME/pillion); a repository's is .pillion.toml in
its root, which can only tighten. Neither need exist. docs/policy.md explains
every key.`,
	}
	c.AddCommand(p.showCommand(), p.validateCommand(), p.suggestCommand(), p.lspCommand())
	return c
}
