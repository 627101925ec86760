package cli

import (
	"fmt"
	"strings"

	"github.com/pillion-sidecar/pillion/guard"
	"github.com/pillion-sidecar/pillion/rpc"
	"github.com/pillion-sidecar/pillion/rpc/display"
)

// rulesPage is docs/rules.md.
func rulesPage(policy guard.Policy) string {
	var b strings.Builder
	fmt.Fprintf(&b, `# Rules of the profile %q

Written by `+"`pillion rules --markdown`"+`; a test checks that it is current. Each rule has a few of its examples here, and `+"`pillion rules ID`"+` shows all. They are tests, too, and are judged with the workspace and working directory /home/dev/project and the home /home/dev.

For each thing that a command would do, the first rule that matches speaks; of all that speak, the strictest decides.

| rule | decision | |
|---|---|---|
`, policy.ID)
	rules := policy.Table()
	for _, r := range rules {
		fmt.Fprintf(&b, "| [%s](#%s) | %s | %s |\n", r.ID, rpc.RuleAnchor(r.ID), r.Decision, r.Title)
	}
	for _, r := range rules {
		section(&b, r)
	}
	return b.String()
}

func section(b *strings.Builder, r guard.Rule) {
	decision := string(r.Decision)
	if r.Loss != "" {
		decision += ", unless what it destroys [is kept](undo.md)"
	}
	fmt.Fprintf(b, "\n## %s\n\n**%s** (%s). %s\n", r.ID, r.Title, decision, r.Why)
	if r.Safer != "" {
		fmt.Fprintf(b, "\nInstead: %s.\n", strings.TrimSuffix(r.Safer, "."))
	}
	const shown = 2 // of each kind: the page is to be read
	for _, list := range []struct {
		title    string
		examples []string
	}{{"It finds", r.Match[:min(len(r.Match), shown)]}, {"It leaves alone", r.NotMatch[:min(len(r.NotMatch), shown)]}} {
		if len(list.examples) == 0 {
			continue
		}
		fmt.Fprintf(b, "\n%s:\n\n", list.title)
		for _, e := range list.examples {
			fmt.Fprintf(b, "    %s\n", display.Spelled(e))
		}
	}
}
