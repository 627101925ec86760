package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard"
)

// rulesPage is docs/rules.md.
func rulesPage(policy guard.Policy) string {
	var b strings.Builder
	var exceptions []string
	for _, r := range policy.Table() {
		section(&b, r, &exceptions)
	}
	head := fmt.Sprintf(`# Rules of the profile %q

For people whose command was denied or asked about. For each thing that a command would do, the first
rule that matches decides; of several decisions, the strictest counts. `+"`pillion rules ID`"+` shows what
to do instead, commands that a rule finds, and others that it leaves alone.

`, policy.ID)
	for i, but := range exceptions {
		head += fmt.Sprintf("- %s: %s\n", marks[i], but)
	}
	return head + b.String()
}

// marks follow a decision that has an exception.
var marks = []string{"¹", "²", "³"}

// section is one rule in a paragraph. Its heading is what RuleAnchor names.
func section(b *strings.Builder, r guard.Rule, exceptions *[]string) {
	decision := string(r.Decision)
	if but := r.But(); but != "" {
		i := slices.Index(*exceptions, but)
		if i < 0 {
			i = len(*exceptions)
			*exceptions = append(*exceptions, but)
		}
		decision += marks[i]
	}
	fmt.Fprintf(b, "\n## %s\n\n**%s** (%s). %s", r.ID, r.Title, decision, r.Why)
	b.WriteString("\n")
}
