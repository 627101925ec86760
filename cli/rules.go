package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pillion-sidecar/pillion/cli/judge"
	"github.com/pillion-sidecar/pillion/cli/terminal"
	"github.com/pillion-sidecar/pillion/config"
	"github.com/pillion-sidecar/pillion/guard"
	"github.com/pillion-sidecar/pillion/rpc"
	"github.com/pillion-sidecar/pillion/rpc/display"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

func (p *program) rulesCommand() *cobra.Command {
	var profile string
	var asJSON, markdown bool
	c := &cobra.Command{
		Use:   "rules [ID]",
		Short: "List the guard's rules, or explain one",
		Long: `rules lists the built-in rules with what they decide; with the id of one, as
verdicts show it, it says why the rule is there, what to do instead, and which
commands it finds and leaves alone.`,
		Example: `  pillion rules
  pillion rules code/remote`,
		Args: atMost(1),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return rpc.RuleIDs(guard.DefaultPolicy()), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			policy, err := judge.Question{Profile: profile}.Policy()
			if err != nil {
				return err
			}
			switch {
			case len(args) == 1:
				return p.explainRule(policy, args[0], asJSON)
			case markdown:
				return p.print(rulesPage(policy))
			case asJSON:
				rules := []protocol.ExplainResult{}
				for _, r := range policy.Table() {
					rules = append(rules, rpc.Explain(r))
				}
				return terminal.WriteJSON(p.stdout, rules)
			}
			return p.print(rulesTable(policy, p.painter(p.stdout)))
		},
	}
	c.Flags().StringVar(&profile, "profile", "", "whose rules (default balanced)")
	c.Flags().BoolVar(&asJSON, "json", false, "print one line of JSON")
	c.Flags().BoolVar(&markdown, "markdown", false, "print docs/rules.md")
	values(c, map[string][]string{"profile": guard.ProfileNames()})
	c.MarkFlagsMutuallyExclusive("json", "markdown")
	return c
}

func (p *program) print(text string) error {
	_, err := io.WriteString(p.stdout, text)
	return err
}

func (p *program) explainRule(policy guard.Policy, id string, asJSON bool) error {
	r, ok := policy.Rule(id)
	if !ok {
		return config.Unknown("rule", id, rpc.RuleIDs(policy))
	}
	if asJSON {
		return terminal.WriteJSON(p.stdout, rpc.Explain(r))
	}
	return p.print(explained(r, p.painter(p.stdout)))
}

func rulesTable(policy guard.Policy, p terminal.Painter) string {
	rules := policy.Table()
	width := 0
	for _, r := range rules {
		width = max(width, len(r.ID))
	}
	var b strings.Builder
	for _, r := range rules {
		word := fmt.Sprintf("%-5s", r.Decision)
		fmt.Fprintf(&b, "%-*s  %s  %s\n", width, r.ID, p.Decision(r.Decision, word), r.Title)
	}
	return b.String()
}

// explained is one rule for a person.
func explained(r guard.Rule, p terminal.Painter) string {
	lines := []string{p.Decision(r.Decision, string(r.Decision)) + ": " + r.Title + "  " + p.Faint(r.ID), ""}
	var rows []protocol.DisplayLine
	rows = append(rows, display.Row("why", protocol.ToneReason, r.Why))
	if but := r.But(); but != "" {
		rows = append(rows, display.Row("but", protocol.ToneReason, but))
	}
	if r.Safer != "" {
		rows = append(rows, display.Row("instead", protocol.ToneReason, r.Safer))
	}
	lines = append(lines, p.Rows(rows)...)
	for _, list := range []struct {
		title    string
		examples []string
	}{{"It finds", r.Match}, {"It leaves alone", r.NotMatch}} {
		if len(list.examples) == 0 {
			continue
		}
		lines = append(lines, "", list.title)
		for _, e := range list.examples {
			lines = append(lines, "    "+display.Spelled(e))
		}
	}
	return strings.Join(lines, "\n") + "\n"
}
