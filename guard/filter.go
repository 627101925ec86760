package guard

import "strings"

var filtered = Rule{
	ID: "policy/filter", Decision: Deny, Severity: 2,
	Why:     "The policy lists the commands that may run here, and this is none of them.",
	Message: "runs {what}, which no pattern of the policy's allowPatterns matches",
}

// extras are the findings of what a policy adds to the built-in rules. Where it
// has looked at too much, the command is asked about.
func (w *walker) extras(e *effect) []Finding {
	if e.kind != kindExec || len(w.policy.Custom)+len(w.policy.Filters) == 0 {
		return nil
	}
	line := e.line()
	if !w.look(len(line)) {
		return w.overlooked(e)
	}
	found := w.custom(e)
	shown := strings.ReplaceAll(line, unknown, "…")
	for _, list := range w.patterns.filters {
		if !w.anyMatches(list, shown) {
			if w.looked > maxLooked {
				break
			}
			spoken := *e
			spoken.text, spoken.path = line, ""
			found = append(found, filtered.finding(&spoken))
			break
		}
	}
	if w.looked > maxLooked {
		found = append(found, w.overlooked(e)...)
	}
	return found
}

// overlooked is the finding of a policy that has looked at too much.
func (w *walker) overlooked(e *effect) []Finding {
	over := *e
	over.kind, over.name = kindProblem, problemBudget
	f, _ := w.judge(&over)
	return []Finding{f}
}
