package guard

import (
	"slices"
	"strings"
)

// CustomRule is a rule of a policy file. It looks at the programs a command
// runs, as the built-in rules do: through wrappers, nested shells, variables
// and functions. It asks or denies on top of what the other rules say.
type CustomRule struct {
	ID       string
	Decision Decision // Ask or Deny
	// Prefix is the program's name without a directory, then its first words.
	// Each element lists alternatives.
	Prefix [][]string
	// Contains are words that must all stand somewhere among the arguments.
	// Each element lists alternatives.
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
func (r *CustomRule) matches(e *effect) likeness {
	if len(r.Prefix) == 0 || !slices.Contains(r.Prefix[0], e.name) {
		return differs
	}
	found := prefixed(r.Prefix[1:], e.args)
	for _, word := range r.Contains {
		found = min(found, among(word, e.args))
	}
	return found
}

// cost is how many words are compared to answer that.
func (r *CustomRule) cost(e *effect) int {
	n := 1
	if len(r.Prefix) > 0 && slices.Contains(r.Prefix[0], e.name) {
		for _, word := range r.Contains {
			n += len(word) * len(e.args)
		}
	}
	return n
}

// prefixed looks for words at the start of args. The program's own options may
// stand in between, each with a value: `git -C sub push` is a push. Which option
// takes a value is not known here, so the strict reading counts.
func prefixed(words [][]string, args []arg) likeness {
	value := false // the next word may belong to an option
	for _, a := range args {
		if len(words) == 0 {
			return alike
		}
		switch {
		case slices.Contains(words[0], a.text):
			words, value = words[1:], false
		case strings.Contains(a.text, unknown):
			return mayBe // one word, none or several
		case len(a.text) > 1 && a.text[0] == '-':
			value = !strings.Contains(a.text, "=")
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

func among(word []string, args []arg) likeness {
	found := differs
	for _, a := range args {
		switch {
		case slices.Contains(word, a.text):
			return alike
		case strings.Contains(a.text, unknown):
			found = mayBe
		}
	}
	return found
}

// custom applies the policy's own rules to one effect. A command that only
// perhaps matches is asked about, whatever the rule would do.
func (w *walker) custom(e *effect) (found []Finding) {
	if e.kind != kindExec || e.unknown {
		return nil
	}
	for i := range w.policy.Custom {
		r := &w.policy.Custom[i]
		if !w.look(r.cost(e)) {
			return found
		}
		switch r.matches(e) {
		case alike:
			found = append(found, r.finding(e, r.Decision))
		case mayBe:
			found = append(found, r.finding(e, Ask))
		}
	}
	return found
}

// row is the rule in the form of the built-in ones.
func (r *CustomRule) row() Rule {
	row := Rule{
		ID: r.ID, Title: "A rule of the policy", Decision: r.Decision, Severity: 2,
		Message: r.Message, Why: r.Why, Safer: r.Safer, Match: r.Match, NotMatch: r.NotMatch,
	}
	if r.Decision == Ask {
		row.Severity = 3
	}
	if row.Message == "" {
		row.Message = `runs {what}, which the policy's rule "` + r.ID + `" is about`
	}
	return row
}

func (r *CustomRule) finding(e *effect, d Decision) Finding {
	row := r.row()
	if row.Decision = d; d == Ask {
		row.Severity = 3
	}
	spoken := *e
	spoken.text, spoken.path = e.line(), ""
	return row.finding(&spoken)
}

// line is a program with its arguments as one line of text.
func (e *effect) line() string {
	return strings.Join(append([]string{e.name}, texts(e.args)...), " ")
}
