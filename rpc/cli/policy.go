package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pillion-sidecar/pillion/config"
)

func (p *program) policyCommand() *cobra.Command {
	c := &cobra.Command{Use: "policy", Short: "Work with policy files", Args: cobra.NoArgs}
	c.AddCommand(&cobra.Command{
		Use:   "validate FILE",
		Short: "Say what is wrong with a policy file, with line and column",
		Long:  "validate reads a policy file as a session would, its rules' examples included.\nIt exits with 0 if the file is right, else with 1.",
		Args:  cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			err := config.ValidateFile(args[0])
			if err == nil {
				return p.print(visible(args[0]) + ": ok\n")
			}
			p.code = 1
			for line := range strings.Lines(err.Error()) {
				fmt.Fprintln(p.stderr, visible(strings.TrimSpace(line)))
			}
			return nil
		},
	})
	return c
}
