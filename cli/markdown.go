package cli

import (
	"fmt"
	"strings"

	"github.com/pillion-sidecar/pillion/guard"
	"github.com/pillion-sidecar/pillion/rpc/display"
)

// rulesPage is docs/rules.md.
func rulesPage(policy guard.Policy) string {
	var b strings.Builder
	fmt.Fprintf(&b, `# Rules of the profile %q

For people whose command was denied or asked about. For each thing that a command would do, the first
rule that matches decides; of several decisions, the strictest counts. `+"`pillion rules ID`"+` has more
examples, also of what a rule leaves alone; each is a test.
`, policy.ID)
	for _, r := range policy.Table() {
		section(&b, r)
	}
	return b.String()
}

// section is one rule in a paragraph. Its heading is what RuleAnchor names.
func section(b *strings.Builder, r guard.Rule) {
	decision := string(r.Decision)
	if r.Loss != "" {
		decision += ", unless what it destroys [is kept](undo.md)"
	}
	fmt.Fprintf(b, "\n## %s\n\n**%s** (%s). %s", r.ID, r.Title, decision, r.Why)
	if r.Safer != "" {
		fmt.Fprintf(b, " Instead: %s.", strings.TrimSuffix(r.Safer, "."))
	}
	if len(r.Match) > 0 {
		b.WriteString(" Finds " + code(r.Match[0]) + ".")
	}
	b.WriteString("\n")
}

// code is text as a code span, whose fence is longer than any in the text.
func code(text string) string {
	text = display.Spelled(text)
	fence := "`"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	if len(fence) > 1 {
		text = " " + text + " "
	}
	return fence + text + fence
}
