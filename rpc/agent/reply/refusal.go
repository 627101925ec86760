package reply

import (
	"fmt"
	"strings"

	"github.com/pillion-sidecar/pillion/guard"
	"github.com/pillion-sidecar/pillion/guard/unseen"
	"github.com/pillion-sidecar/pillion/rpc/display"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

// most findings are shown; more would hide the first.
const most = 8

// Denied is why the guard does not let a command run, and what can be done.
func Denied(v protocol.GuardVerdict) string {
	var b strings.Builder
	first := "pillion's guard denied this command; it was not run."
	if v.Decision == guard.Ask {
		first = "pillion's guard wants the user to decide about this command."
	}
	b.WriteString(first)
	seen, rules := map[string]bool{}, []string{}
	for _, f := range v.Findings {
		if f.Decision != v.Decision || seen[f.Message] || len(seen) == most {
			continue
		}
		seen[f.Message] = true
		fmt.Fprintf(&b, "\n- %s (%s).", Plain(f.Message), f.RuleID)
		if len(rules) > 0 && rules[len(rules)-1] == f.RuleID {
			continue
		}
		rules = append(rules, f.RuleID)
		if f.Explanation != "" {
			b.WriteString(" " + Plain(f.Explanation))
		}
		if s := f.Suggestion; s != nil {
			b.WriteString(" Instead: " + Plain(display.Instead(s)) + ".")
		}
	}
	b.WriteString("\n" + lifted(v.Decision, rules))
	return b.String()
}

// lifted says who can allow what a rule stops, and how.
func lifted(decision guard.Decision, rules []string) string {
	if len(rules) == 0 {
		return "Only the user can change the policy."
	}
	if decision == guard.Ask {
		return fmt.Sprintf("Only the user can allow it: by answering, by running it themselves, or with \"%s\" = \"allow\" under [rules] in policy.toml.", rules[0])
	}
	return fmt.Sprintf("Don't try to get the same done in another form. Only the user can allow it, with \"%s\" = \"allow\" under [rules] in policy.toml, or run it themselves.", rules[0])
}

// Notes are what the sandbox refused to a command and what it doesn't keep, one line each.
func Notes(r protocol.ExecResult) (lines []string) {
	for _, l := range display.Violations(r.Violations, r.Sandbox, WhoAllows) {
		lines = append(lines, "pillion: "+l.Text)
	}
	if len(r.Lost) > 0 {
		lines = append(lines, "pillion: "+display.Lost(r.Lost))
	}
	return lines
}

// WhoAllows says who can allow what was refused: the user, never the model.
func WhoAllows(v protocol.Violation) string {
	switch {
	case v.Never != "":
		return Plain(v.Never) + "; only the user can do it"
	case v.Grant != "":
		return "the user's policy can allow it: " + Plain(v.Grant)
	}
	return ""
}

// Plain is a text without what a terminal would obey or what changes the order of
// characters, which is spelled out. Line ends and tabs stay.
func Plain(text string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if strings.IndexFunc(text, odd) < 0 {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if odd(r) {
			b.WriteString(unseen.Spelled(r))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func odd(r rune) bool { return r != '\n' && r != '\t' && unseen.Hidden(r) }
