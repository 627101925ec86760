package cli

import (
	"fmt"
	"strings"

	"github.com/pillion-sidecar/pillion/guard"
)

// rulesPage is docs/rules.md.
func rulesPage(policy guard.Policy) string {
	var b strings.Builder
	fmt.Fprintf(&b, `# Rules of the profile %q

For people whose command was denied or asked about. For each thing that a command would do, the first
rule that matches decides; of several decisions, the strictest counts. `+"`pillion rules ID`"+` shows what
to do instead, commands that a rule finds, and others that it leaves alone; each is a test.
`, policy.ID)
	for _, r := range policy.Table() {
		section(&b, r)
	}
	return b.String()
}

// section is one rule in a paragraph. Its heading is what RuleAnchor names.
func section(b *strings.Builder, r guard.Rule) {
	decision := string(r.Decision)
	if but := r.But(); but != "" {
		decision += "; " + but
	}
	fmt.Fprintf(b, "\n## %s\n\n**%s** (%s). %s", r.ID, r.Title, decision, r.Why)
	b.WriteString("\n")
}
