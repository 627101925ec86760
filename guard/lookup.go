package guard

import (
	"slices"

	"github.com/pillion-sidecar/pillion/guard/rule"
)

// Table is the rules of p with the decisions p gives them: the built-in ones in
// the order they are tried, then those of policy files.
func (p Policy) Table() []rule.Rule {
	out := slices.Clone(p.table())
	for i := range p.Custom {
		out = append(out, p.Custom[i].row())
	}
	b := p.book()
	for i := range out {
		out[i].Decision = b.Decision(&out[i])
	}
	return withExamples(out)
}

// Rule finds a rule of p by its id. A rule that only another profile has is
// found too: a person may look up what an older verdict said.
func (p Policy) Rule(id string) (rule.Rule, bool) {
	tables := [][]rule.Rule{p.Table(), Rules()}
	for _, rows := range ruleSets() {
		tables = append(tables, withExamples(rows()))
	}
	for _, rows := range tables {
		if i := slices.IndexFunc(rows, func(r rule.Rule) bool { return r.ID == id }); i >= 0 {
			return rows[i], true
		}
	}
	return rule.Rule{}, false
}
