package guard

import (
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/rule"
)

// CustomRule is a rule of a policy file. It looks at the programs a command
// runs, as the built-in rules do: through wrappers, nested shells, variables
// and functions. It asks or denies on top of what the other rules say.
type CustomRule struct {
	ID       string
	Decision rule.Decision // Ask or Deny
	// Prefix is the program's name without a directory, then its first words.
	// Each element lists alternatives.
	Prefix [][]string
	// Contains are words that must all be among the arguments. Each element lists
	// alternatives.
	Contains [][]string

	Message  string // what the command does; {what} is the command
	Why      string
	Safer    string
	Match    []string // commands this rule must find, judged by Validate
	NotMatch []string // commands that only look alike
}

// likeness is how far a rule's words are those of a command.
type likeness int

const (
	differs likeness = iota
	mayBe            // a word that only exists at run time decides
	alike
)

// matches compares the rule with one program and its arguments.
func (r *CustomRule) matches(e *effect.Effect) likeness {
	if len(r.Prefix) == 0 || !slices.Contains(r.Prefix[0], e.Name) {
		return differs
	}
	found := prefixed(r.Prefix[1:], e.Args)
	for _, word := range r.Contains {
		found = min(found, among(word, e.Args))
	}
	return found
}

// cost is how many words are compared to answer that.
func (r *CustomRule) cost(e *effect.Effect) int {
	n := 1
	if len(r.Prefix) > 0 && slices.Contains(r.Prefix[0], e.Name) {
		for _, word := range r.Contains {
			n += len(word) * len(e.Args)
		}
	}
	return n
}

// prefixed looks for words at the start of args. The program's own options may come in
// between, each with a value: `git -C sub push` is a push. Which option takes a value is
// not known here, so the strict reading counts.
func prefixed(words [][]string, args []effect.Arg) likeness {
	value := false // the next word may belong to an option
	for _, a := range args {
		if len(words) == 0 {
			return alike
		}
		switch {
		case slices.Contains(words[0], a.Text):
			words, value = words[1:], false
		case strings.Contains(a.Text, effect.Unknown):
			return mayBe // one word, none or several
		case len(a.Text) > 1 && a.Text[0] == '-':
			value = !strings.Contains(a.Text, "=")
		case value:
			value = false
		default:
			return differs
		}
	}
	if len(words) > 0 {
		return differs
	}
	return alike
}

func among(word []string, args []effect.Arg) likeness {
	found := differs
	for _, a := range args {
		switch {
		case slices.Contains(word, a.Text):
			return alike
		case strings.Contains(a.Text, effect.Unknown):
			found = mayBe
		}
	}
	return found
}

// custom applies the policy's own rules to one effect. A command that only
// perhaps matches is asked about, whatever the rule would do.
func (j *judging) custom(e *effect.Effect) (found []rule.Finding) {
	if e.Kind != effect.Exec || e.Unknown {
		return nil
	}
	for i := range j.policy.Custom {
		r := &j.policy.Custom[i]
		if !j.look(r.cost(e)) {
			return found
		}
		switch r.matches(e) {
		case alike:
			found = append(found, r.finding(e, r.Decision))
		case mayBe:
			found = append(found, r.finding(e, rule.Ask))
		}
	}
	return found
}

// row is the rule in the form of the built-in ones.
func (r *CustomRule) row() rule.Rule {
	row := rule.Rule{
		ID: r.ID, Title: "A rule of the policy", Decision: r.Decision, Severity: 2,
		Message: r.Message, Why: r.Why, Safer: r.Safer, Match: r.Match, NotMatch: r.NotMatch,
	}
	if r.Decision == rule.Ask {
		row.Severity = 3
	}
	if row.Message == "" {
		row.Message = `runs {what}, which the policy's rule "` + r.ID + `" is about`
	}
	return row
}

func (r *CustomRule) finding(e *effect.Effect, d rule.Decision) rule.Finding {
	row := r.row()
	if row.Decision = d; d == rule.Ask {
		row.Severity = 3
	}
	spoken := *e
	spoken.Text, spoken.Path = programLine(e), ""
	return pointed(row.Finding(&spoken), &spoken)
}

// programLine is a program with its arguments as one line of text.
func programLine(e *effect.Effect) string {
	return strings.Join(append([]string{e.Name}, effect.Texts(e.Args)...), " ")
}
