package guard

import (
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/rule"
)

// What the policy itself, and not a rule about commands, keeps from running. No
// decision of the policy silences these: they are the policy.
var (
	closedRule = rule.Rule{
		ID: "policy/closed", Title: "No commands at all", Decision: rule.Deny, Severity: 1, Verbatim: true,
		Why:     "The configuration lets no command run.",
		Message: "no command may run",
		Say:     func(e *effect.Effect) string { return e.Text },
	}
	unlistedRule = rule.Rule{
		ID: "policy/not-in-allowlist", Title: "Not in the allow list", Decision: rule.Deny, Severity: 2, Verbatim: true,
		Why:     "An allow list is configured, and this command matches none of its patterns.",
		Message: "Command blocked by safety guard (not in allowlist)",
		Safer:   "keep to the commands of the allow list",
	}
)

// judgePolicy applies those.
func (j *judging) judgePolicy(e *effect.Effect) (rule.Finding, bool) {
	switch {
	case e.Kind == effect.Closed:
		return pointed(closedRule.Finding(e), e), true
	case e.Kind == effect.Command && !j.listed(e):
		return pointed(unlistedRule.Finding(e), e), true
	}
	return rule.Finding{}, false
}

// listed reports that a pattern of the allow list matches the command's text.
// They come on top of the deny rules: a match allows nothing that those refuse.
func (j *judging) listed(e *effect.Effect) bool {
	if len(j.policy.AllowPatterns) == 0 || e.Name == effect.WrittenFunction {
		return true
	}
	return j.anyMatches(j.patterns.allow, e.Text)
}
