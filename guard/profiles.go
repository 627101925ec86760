package guard

import (
	"maps"
	"slices"
	"sync"

	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/profile"
	"github.com/pillion-sidecar/pillion/guard/rule"
)

// profiles are the policies that reproduce an older tool's behaviour, and ours.
// Only the guard's part is here; config has the modes and limits.
var profiles = sync.OnceValue(func() []Policy {
	return []Policy{
		DefaultPolicy(),
		// A path counts as outside wherever it leads but into the workspace: the
		// tool that this profile follows knew no other roots.
		{ID: "denylist", Version: "1", Rules: DenylistRules, Restrict: true, Programs: DefaultPolicy().Programs},
		{ID: "isolated", Version: "1", Rules: NoRules, Decisions: unparsed},
		{ID: "readonly", Version: "1", Rules: NoRules, Decisions: unparsed},
		{ID: "layered", Version: "1", Rules: LayeredRules, Roots: DefaultPolicy().Roots, Programs: DefaultPolicy().Programs},
		// A session that only looks doesn't need text that shells read in two ways.
		{
			ID: "inspect", Version: "1", Rules: InspectRules, Programs: profile.InspectDirs,
			Decisions: map[string]rule.Decision{
				"parse/error": rule.Deny, "parse/opaque": rule.Deny, "budget/work": rule.Deny, "guard/internal": rule.Deny,
			},
		},
	}
})

// unparsed allows text that is not valid shell. Where no rules speak, there is nothing that
// a better parse could find.
var unparsed = map[string]rule.Decision{"parse/error": rule.Allow, "parse/opaque": rule.Allow}

// ProfileNames are the profiles, the default first.
func ProfileNames() []string {
	names := make([]string, len(profiles()))
	for i, p := range profiles() {
		names[i] = p.ID
	}
	return names
}

// Profile is the policy of that name, for the caller to change.
func Profile(name string) (Policy, bool) {
	for _, p := range profiles() {
		if p.ID == name {
			return p.clone(), true
		}
	}
	return Policy{}, false
}

func (p Policy) clone() Policy {
	p.Decisions = maps.Clone(p.Decisions)
	p.Roots, p.Programs, p.AllowPatterns = slices.Clone(p.Roots), slices.Clone(p.Programs), slices.Clone(p.AllowPatterns)
	return p
}

// ClosedByReadMode is why the profile "readonly" runs nothing when its sandbox is off and
// writing is not granted.
const ClosedByReadMode = "the sandbox is off in this profile: commands need the write grant"

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
