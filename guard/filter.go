package guard

import (
	"regexp"
	"slices"
	"strings"
)

// maxLooked bounds the bytes that a policy's own rules and patterns look at in
// one verdict: a function called in a loop repeats its arguments every time.
const maxLooked = 1 << 20

var filtered = Rule{
	ID: "policy/filter", Decision: Deny, Severity: 2,
	Why:     "The policy lists the commands that may run here, and this is none of them.",
	Message: "runs {what}, which no pattern of the policy's allowPatterns matches",
}

// filters are the lists that every program must match, compiled. A pattern that
// can't be compiled matches nothing.
func (p Policy) filters() [][]*regexp.Regexp {
	out := make([][]*regexp.Regexp, len(p.Filters))
	for i, list := range p.Filters {
		for _, pattern := range list {
			if re, err := regexp.Compile(pattern); err == nil {
				out[i] = append(out[i], re)
			}
		}
	}
	return out
}

// extras are the findings of what a policy adds to the built-in rules.
func (w *walker) extras(e *effect, filters [][]*regexp.Regexp) []Finding {
	if e.kind != kindExec || len(w.policy.Custom)+len(filters) == 0 {
		return nil
	}
	for _, a := range e.args {
		w.looked += len(a.text) + 1
	}
	if w.looked += len(e.name) + 1; w.looked > maxLooked {
		over := *e
		over.kind, over.name = kindProblem, problemBudget
		f, _ := w.judge(&over)
		return []Finding{f}
	}
	found := w.custom(e)
	line := strings.ReplaceAll(e.line(), unknown, "…")
	for _, list := range filters {
		if !slices.ContainsFunc(list, func(re *regexp.Regexp) bool { return re.MatchString(line) }) {
			spoken := *e
			spoken.text, spoken.path = e.line(), ""
			found = append(found, filtered.finding(&spoken))
			break
		}
	}
	return found
}
