package guard

import (
	"github.com/pillion-sidecar/pillion/guard/rule"
)

// Kept is a verdict where all that a command can change is kept: what could only be lost
// comes back, and needs no question.
func (v Verdict) Kept() Verdict {
	if v.Decision != rule.Ask {
		return v
	}
	findings := make([]rule.Finding, 0, len(v.Findings))
	for _, f := range v.Findings {
		if f.Decision != rule.Allow && f.Loss == "" {
			return v
		}
		f.Decision = rule.Allow
		findings = append(findings, f)
	}
	v.Decision, v.Findings = rule.Allow, findings
	commands := append([]CommandVerdict(nil), v.Commands...)
	for i := range commands {
		commands[i].Decision = rule.Allow
	}
	v.Commands = commands
	return v
}

// Loses says that it rests on that: what can't be kept must not be lost.
func (v Verdict) Loses() bool {
	for _, f := range v.Findings {
		if f.Decision == rule.Allow && f.Loss != "" {
			return true
		}
	}
	return false
}
