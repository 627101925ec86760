package guard

import (
	"strings"

	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/rule"
)

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
