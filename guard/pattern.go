package guard

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/rule"
)

// maxPattern bounds a regular expression by the instructions of its program:
// `((x{100}){100}){100}` is short, and takes a while for every byte.
const maxPattern = 2000

// maxLooked bounds what a policy's own rules and patterns look at in one
// verdict, in bytes of text times instructions: a function called in a loop
// repeats its arguments every time.
const maxLooked = 1 << 22

// pattern is a regular expression with what it costs for a byte. One that does
// not compile matches nothing: a list that is broken stays closed.
type pattern struct {
	source string
	re     *regexp.Regexp
	cost   int
}

// CheckPattern says what is wrong with a pattern of AllowPatterns or Filters.
func CheckPattern(source string) error {
	_, err := newPattern(source)
	return err
}

func newPattern(source string) (pattern, error) {
	p := pattern{source: source, cost: 1}
	parsed, err := syntax.Parse(source, syntax.Perl)
	if err != nil {
		return p, err
	}
	prog, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return p, err
	}
	if p.cost = len(prog.Inst); p.cost > maxPattern {
		return p, errors.New("the pattern is too large; use fewer or smaller repetitions")
	}
	p.re, err = regexp.Compile(source)
	return p, err
}

// compiled are a policy's patterns, ready to use.
type compiled struct {
	allow   []pattern
	filters [][]pattern
}

// Compiled is p with its patterns compiled once instead of at every check. The error names
// a pattern that is not one.
func (p Policy) Compiled() (Policy, error) {
	ready := compiled{allow: compile(p.AllowPatterns, nil)}
	for _, list := range p.Filters {
		ready.filters = append(ready.filters, compile(list, nil))
	}
	p.compiled = ready
	for _, list := range append([][]pattern{ready.allow}, ready.filters...) {
		for _, one := range list {
			if one.re == nil {
				return p, fmt.Errorf("allow pattern %q: %w", one.source, CheckPattern(one.source))
			}
		}
	}
	return p, nil
}

// patterns are the allow patterns and filters as they are now, compiled.
func (p Policy) patterns() (ready compiled) {
	ready.allow = compile(p.AllowPatterns, p.compiled.allow)
	for i, list := range p.Filters {
		var known []pattern
		if i < len(p.compiled.filters) {
			known = p.compiled.filters[i]
		}
		ready.filters = append(ready.filters, compile(list, known))
	}
	return ready
}

// compile takes over what is known.
func compile(sources []string, known []pattern) []pattern {
	current := len(known) == len(sources)
	for i := range known {
		current = current && known[i].source == sources[i]
	}
	if current {
		return known
	}
	out := make([]pattern, len(sources))
	for i, source := range sources {
		out[i], _ = newPattern(source)
	}
	return out
}

// anyMatches reports that a pattern of the list matches text. It answers false
// where the policy has looked at too much: then nothing more is allowed.
func (j *judging) anyMatches(list []pattern, text string) bool {
	for i := range list {
		if list[i].re == nil || !j.look(list[i].cost*(1+len(text))) {
			continue
		}
		if list[i].re.MatchString(text) {
			return true
		}
	}
	return false
}

// look counts what a policy's own rules look at, and reports whether they may.
func (j *judging) look(n int) bool {
	j.looked += n
	return j.looked <= maxLooked
}

var filtered = rule.Rule{
	ID: "policy/filter", Decision: rule.Deny, Severity: 2,
	Why:     "The policy lists the commands that may run here, and this is not one of them.",
	Message: "runs {what}, which no pattern of the policy's allowPatterns matches",
}

// extras are the findings of what a policy adds to the built-in rules. Where it
// has looked at too much, the command is asked about.
func (j *judging) extras(e *effect.Effect) []rule.Finding {
	if e.Kind != effect.Exec || len(j.policy.Custom)+len(j.policy.Filters) == 0 {
		return nil
	}
	line := programLine(e)
	if !j.look(len(line)) {
		return j.overlooked(e)
	}
	found := j.custom(e)
	shown := strings.ReplaceAll(line, effect.Unknown, "…")
	for _, list := range j.patterns.filters {
		if !j.anyMatches(list, shown) {
			if j.looked > maxLooked {
				break
			}
			spoken := *e
			spoken.Text, spoken.Path = line, ""
			found = append(found, pointed(filtered.Finding(&spoken), &spoken))
			break
		}
	}
	if j.looked > maxLooked {
		found = append(found, j.overlooked(e)...)
	}
	return found
}

// overlooked is the finding of a policy that has looked at too much.
func (j *judging) overlooked(e *effect.Effect) []rule.Finding {
	over := *e
	over.Kind, over.Name = effect.Problem, effect.ProblemBudget
	f, _ := j.Judge(&j.context, &over)
	return []rule.Finding{f}
}
