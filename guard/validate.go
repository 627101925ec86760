package guard

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/rule"
	"github.com/pillion-sidecar/pillion/guard/shell"
	"github.com/pillion-sidecar/pillion/workspace"
)

// RuleError says what is wrong with one of Policy.Custom.
type RuleError struct {
	Rule    int    // index in Policy.Custom
	Member  string // "id", "decision", "prefix", "contains", "message", "match", "not_match"
	Index   int    // which element of it, -1 for the whole
	Problem string // what is wrong and what to do
}

// What a policy file may hold. A file of the workspace is not trusted: its
// examples must not keep the sidecar busy.
const (
	maxCustom      = 256
	maxExamples    = 512  // of all rules together
	maxExampleSize = 4096 // bytes
)

// Validate checks the custom rules and judges their examples: a rule that misses one of
// its own, or finds a look-alike, is not the rule that was meant.
func (p Policy) Validate() (errs []RuleError) {
	seen := map[string]bool{}
	builtin := RuleIDs()
	examples := 0
	for i, r := range p.Custom {
		add := func(member string, index int, format string, args ...any) {
			errs = append(errs, RuleError{i, member, index, fmt.Sprintf(format, args...)})
		}
		if i >= maxCustom {
			add("", -1, "there are more than %d rules; join some with alternatives", maxCustom)
			return errs
		}
		switch {
		case !ruleID(r.ID):
			add("id", -1, "the id %.80q is not 1 to 64 of a-z, 0-9, ., _, / and -", r.ID)
		case slices.Contains(builtin, r.ID):
			add("id", -1, "%q is a built-in rule; choose another id, or set its decision under [rules]", r.ID)
		case seen[r.ID]:
			add("id", -1, "two rules have the id %q; rename one", r.ID)
		}
		seen[r.ID] = true
		switch {
		case r.Decision == "":
			add("decision", -1, `a rule needs decision = "ask" or "deny"`)
		case r.Decision != rule.Ask && r.Decision != rule.Deny:
			add("decision", -1,
				`the decision %.80q is neither "ask" nor "deny" (to loosen a built-in rule, set it under [rules])`,
				string(r.Decision))
		}
		words := r.badWords(add)
		if examples += len(r.Match) + len(r.NotMatch); examples > maxExamples {
			add("match", -1, "there are more than %d examples in all; keep the telling ones", maxExamples)
			return errs
		}
		if words {
			r.tryExamples(add)
		}
	}
	return errs
}

// ruleID keeps ids short and plain: they are shown where a message isn't.
func ruleID(id string) bool {
	return len(id) > 0 && len(id) <= 64 && strings.Trim(id, "abcdefghijklmnopqrstuvwxyz0123456789._/-") == ""
}

// badWords reports whether prefix and contains can be matched at all.
func (r *CustomRule) badWords(add func(string, int, string, ...any)) (ok bool) {
	ok = true
	bad := func(member string, index int, problem string) {
		add(member, index, "%s", problem)
		ok = false
	}
	if len(r.Prefix) == 0 {
		bad("prefix", -1, `a rule needs prefix = ["program", "word", …]`)
	}
	for _, given := range []struct {
		member string
		list   [][]string
	}{{"prefix", r.Prefix}, {"contains", r.Contains}} {
		member := given.member
		for i, words := range given.list {
			switch {
			case len(words) == 0:
				bad(member, i, "an empty list of alternatives never matches")
			case slices.ContainsFunc(words, func(w string) bool { return w == "" || strings.Contains(w, effect.Unknown) }):
				bad(member, i, "a word can't be empty")
			case member == "prefix" && i == 0 && slices.ContainsFunc(words, func(w string) bool { return w != argv.Base(w) }):
				bad(member, i, fmt.Sprintf("programs are matched without their directory; write %q", argv.Base(words[0])))
			}
		}
	}
	return ok
}

func (r *CustomRule) tryExamples(add func(string, int, string, ...any)) {
	for _, kind := range []struct {
		member string
		list   []string
		want   bool
	}{{"match", r.Match, true}, {"not_match", r.NotMatch, false}} {
		for i, text := range kind.list {
			if len(text) > maxExampleSize {
				add(kind.member, i, "an example has at most %d bytes", maxExampleSize)
				continue
			}
			switch got := r.finds(text); {
			case kind.want && got == rule.Allow:
				add(kind.member, i, "the rule does not find its example %.200q; correct prefix, contains or the example", text)
			case kind.want && got.Rank() < r.Decision.Rank():
				add(kind.member, i,
					"the rule only perhaps finds its example %.200q, because a word in it is known only at run time", text)
			case !kind.want && got != rule.Allow:
				add(kind.member, i, "the rule finds %.200q, which it must not; correct prefix, contains or the example", text)
			}
		}
	}
}

// finds is what this rule alone says about a command.
func (r *CustomRule) finds(text string) rule.Decision {
	alone := Policy{Rules: NoRules, Custom: []CustomRule{*r}}
	d := rule.Allow
	for _, f := range Check(shell.Input{Command: text, Cwd: exampleRoot}, alone, lexical{}, "/home/dev").Findings {
		if f.RuleID == r.ID && f.Decision.Rank() > d.Rank() {
			d = f.Decision
		}
	}
	return d
}

const exampleRoot = "/home/dev/project"

// lexical is a workspace in which nothing exists: examples mean the same on
// every machine.
type lexical struct{}

// Folders is the one folder of all examples.
func (lexical) Folders() []string { return []string{exampleRoot} }

// Resolve follows names only.
func (lexical) Resolve(p, cwd string) (string, bool) {
	if !path.IsAbs(p) {
		p = cwd + "/" + p
	}
	p = path.Clean(p)
	return p, workspace.Within(exampleRoot, p)
}

// RuleIDs are the ids of the built-in rules of every rule set, sorted.
func RuleIDs() []string {
	var ids []string
	add := func(rows []rule.Rule) {
		for i := range rows {
			ids = append(ids, rows[i].ID)
		}
	}
	add(rule.Balanced())
	for _, rows := range ruleSets() {
		add(rows())
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}
