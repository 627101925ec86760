package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pillion-sidecar/pillion/cli/terminal"
	"github.com/pillion-sidecar/pillion/config"
	"github.com/pillion-sidecar/pillion/rpc/display"
	"github.com/pillion-sidecar/pillion/workspace"
)

// grantRow is a row of grants --json.
type grantRow struct {
	Number int    `json:"number"`
	Kind   string `json:"kind"` // "host", "read", "write", "command"
	Value  string `json:"value"`
	config.GrantOptions
}

func (p *program) grantsCommand() *cobra.Command {
	var revoke int
	var asJSON bool
	c := &cobra.Command{
		Use:   "grants",
		Short: "List what you said yes to for good, or take it back",
		Long: `grants lists what you answered with "always": the rows [[grant]] of your own
policy.toml. --revoke removes one of them and leaves the rest of the file as it is.
What a session was allowed ends with it and is not listed.`,
		Example: `  pillion grants
  pillion grants --revoke 2`,
		Args: atMost(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			conf, err := config.Default()
			if err != nil {
				return err
			}
			file, _ := workspace.Resolve(nil, conf.PolicyFile, "/")
			if cmd.Flags().Changed("revoke") {
				if err := config.Forget(file, revoke-1); err != nil {
					return err
				}
			}
			return p.grants(file, asJSON)
		},
	}
	c.Flags().IntVar(&revoke, "revoke", 0, "take back the grant with this number")
	c.Flags().BoolVar(&asJSON, "json", false, "print one line of JSON")
	return c
}

// grantsIn are the rows of the user's policy file.
func grantsIn(conf config.Config) ([]config.GrantOptions, error) {
	file, _ := workspace.Resolve(nil, conf.PolicyFile, "/")
	rows, err := config.Granted(file)
	return append([]config.GrantOptions{}, rows...), err
}

func (p *program) grants(file string, asJSON bool) error {
	rows, err := config.Granted(file)
	if err != nil {
		return err
	}
	list := []grantRow{}
	var b strings.Builder
	for i, g := range rows {
		k := grantRow{Number: i + 1, GrantOptions: g}
		k.Kind, k.Value = g.Text()
		list = append(list, k)
		line := fmt.Sprintf("%3d  %-7s  %s", k.Number, k.Kind, k.Value)
		if g.Folder != "" {
			line += fmt.Sprintf("  (%s, in %s)", strings.Join(g.Rules, ", "), g.Folder)
		}
		if g.Given != "" {
			line += "  since " + g.Given
		}
		b.WriteString(display.Spelled(line) + "\n")
	}
	switch {
	case asJSON:
		return terminal.WriteJSON(p.stdout, list)
	case len(rows) == 0:
		return p.print("no grants in " + display.Spelled(file) + "\n")
	}
	return p.print(b.String())
}
