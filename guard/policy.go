package guard

import (
	"slices"
	"sync"

	"github.com/pillion-sidecar/pillion/guard/place"
	"github.com/pillion-sidecar/pillion/guard/profile"
	"github.com/pillion-sidecar/pillion/guard/rule"
	"github.com/pillion-sidecar/pillion/workspace"
)

// RuleSet names the built-in rules that speak.
type RuleSet string

// The rule sets.
const (
	BalancedRules RuleSet = ""         // the table of Rules
	NoRules       RuleSet = "none"     // only what can't be read at all is refused
	DenylistRules RuleSet = "denylist" // eight families of dangerous text
	LayeredRules  RuleSet = "layered"  // programs, rm, inner code, patterns
	InspectRules  RuleSet = "inspect"  // nothing but programs that look
)

// ruleSets is every rule set but the default.
var ruleSets = sync.OnceValue(func() map[RuleSet]func() []rule.Rule {
	return map[RuleSet]func() []rule.Rule{
		NoRules:       rule.Input,
		DenylistRules: stricter(profile.Denylist),
		LayeredRules:  stricter(profile.Layered),
		InspectRules:  stricter(profile.Inspect),
	}
})

// stricter are rows before those about text that can't be read, the strictest first.
func stricter(rows func() []Rule) func() []Rule {
	return sync.OnceValue(func() []Rule { return rule.StrictestFirst(rows(), rule.Input()) })
}

// Policy is what a profile decides: which rules speak, where a command may
// reach, and by which name its verdicts are known. The zero Policy allows
// nothing but the workspace.
type Policy struct {
	ID      string
	Version string
	Rules   RuleSet
	// Decisions replace those of built-in rules, by rule id. Allow silences one:
	// the others still speak.
	Decisions map[string]rule.Decision
	// Custom are rules of policy files, on top of the built-in ones.
	Custom []CustomRule
	// Filters are lists of regular expressions. Every program a command runs,
	// with its folded arguments as one line, must match one of each list.
	Filters [][]string
	// Roots are directories allowed besides the workspace, e.g. /tmp.
	Roots []string
	// Bound, when not empty, are the directories that Roots must lie in when their
	// links are resolved.
	Bound []string
	// Programs are directories whose programs may be run by path; "~/" is the
	// user's home. The workspace and Roots are always allowed.
	Programs []string
	// Restrict refuses paths that leave the workspace in the profile "denylist".
	Restrict bool
	// AllowPatterns are regular expressions (RE2) on the text of each command of
	// a chain. If there are any, only commands that match one run; the rules
	// still refuse what they refuse.
	AllowPatterns []string
	// Closed, when not empty, says why no command runs at all.
	Closed string

	compiled compiled
}

// bounds reports a root that is within the Bound. A link on the way there, which
// somebody else may have laid in /tmp, would let the roots grow.
func (p Policy) bounds(root string, f place.Facts) bool {
	return len(p.Bound) == 0 || slices.ContainsFunc(p.Bound, func(b string) bool {
		resolved, _ := f.Resolve(b, "/")
		return workspace.Within(resolved, root)
	})
}

// DefaultPolicy is the profile "balanced".
func DefaultPolicy() Policy {
	return Policy{
		ID:      "balanced",
		Version: "1",
		Roots:   []string{"/tmp", "/var/tmp"},
		Programs: []string{
			"/bin", "/sbin", "/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin", "/usr/local/go/bin",
			"/opt/homebrew/bin", "/opt/homebrew/sbin", "/usr/lib", "/usr/libexec", "/snap/bin", "/nix/store",
			"/run/current-system/sw/bin",
			"~/go/bin", "~/.cargo/bin", "~/.local/bin", "~/.bun/bin", "~/.deno/bin", "~/.nvm", "~/.pyenv", "~/.rbenv",
			"~/.asdf", "~/.rustup", "~/.sdkman", "~/.volta",
		},
	}
}

// table is the built-in rules of p.
func (p Policy) table() []rule.Rule {
	if rows, ok := ruleSets()[p.Rules]; ok {
		return rows()
	}
	return rule.Balanced()
}

// Decision is what happens to a command that the built-in rule id finds; Allow
// if the rule set has no such rule.
func (p Policy) Decision(id string) rule.Decision {
	rows := p.table()
	for i := range rows {
		if rows[i].ID == id {
			return p.book().Decision(&rows[i])
		}
	}
	return rule.Allow
}

func (p Policy) book() *rule.Book { return &rule.Book{Rows: p.table(), Decisions: p.Decisions} }
