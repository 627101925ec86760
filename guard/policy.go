package guard

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/pillion-sidecar/pillion/guard/effect"
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

// bounds reports a root that is within the Bound. A link on the way there, which another
// user may have laid in /tmp, would let the roots grow.
func (p Policy) bounds(root string, f place.Facts) bool {
	return len(p.Bound) == 0 || slices.ContainsFunc(p.Bound, func(b string) bool {
		resolved, _ := f.Resolve(b, "/")
		return workspace.Within(resolved, root)
	})
}

// DefaultPolicy is the profile "balanced".
func DefaultPolicy() Policy {
	return Policy{
		ID: "balanced", Version: "1", Roots: []string{"/tmp", "/var/tmp"},
		Programs: slices.Clone(place.Listed("programs")),
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

// Hash identifies everything that decides a verdict, rules included, as
// "sha256:…": an approval given under one policy is not one under another.
func (p Policy) Hash() string {
	own := p.members(make([]byte, 0, 1<<10))
	whole := p.replaced(own)
	if last := lastHash.Load(); last != nil && last.policy == string(whole) {
		return last.hash
	}
	h := sha256.New()
	h.Write(own)
	h.Write(p.decided())
	now := &hashed{policy: string(whole), hash: fmt.Sprintf("sha256:%x", h.Sum(nil))}
	lastHash.Store(now)
	return now.hash
}

// lastHash is the hash that was made last, and its input. A session has one policy, and
// hashing that was a quarter of the judgement of a small command.
var lastHash atomic.Pointer[hashed]

type hashed struct{ policy, hash string }

// members writes down what the policy itself says; Decisions speak through the
// rules they are about.
func (p Policy) members(b []byte) []byte {
	b = appendWords(b, p.ID, p.Version, string(p.Rules), p.Closed, strconv.FormatBool(p.Restrict))
	b = appendWords(appendWords(appendWords(appendWords(b, p.Roots...), p.Bound...), p.Programs...), p.AllowPatterns...)
	b = appendLists(b, p.Filters)
	b = appendCount(b, len(p.Custom))
	for _, r := range p.Custom {
		b = appendWords(b, r.ID, string(r.Decision), r.Message, r.Why, r.Safer)
		b = appendLists(appendLists(b, r.Prefix), r.Contains)
		b = appendWords(appendWords(b, r.Match...), r.NotMatch...)
	}
	return b
}

func (p Policy) replaced(b []byte) []byte {
	for _, id := range slices.Sorted(maps.Keys(p.Decisions)) {
		b = appendWords(b, id, string(p.Decisions[id]))
	}
	return b
}

// decided are the built-in rules and what happens to what they find.
func (p Policy) decided() (b []byte) {
	rows := p.book()
	for _, r := range rows.Rows {
		b = appendWords(b, r.ID, string(rows.Decision(&r)), strconv.Itoa(int(r.Severity)))
	}
	return b
}

// appendWords writes strings so that no others look the same: how many there are, and each
// after its length.
func appendWords[S ~string](b []byte, list ...S) []byte {
	b = appendCount(b, len(list))
	for _, s := range list {
		b = append(appendCount(b, len(s)), s...)
	}
	return b
}

func appendLists(b []byte, all [][]string) []byte {
	b = appendCount(b, len(all))
	for _, one := range all {
		b = appendWords(b, one...)
	}
	return b
}

func appendCount(b []byte, n int) []byte {
	return append(strconv.AppendInt(b, int64(n), 10), ':')
}

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
			ID: "inspect", Version: "1", Rules: InspectRules, Programs: place.Listed("looking"),
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
			p.Decisions = maps.Clone(p.Decisions)
			p.Roots, p.Programs = slices.Clone(p.Roots), slices.Clone(p.Programs)
			return p, true
		}
	}
	return Policy{}, false
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
