package guard

import "slices"

// Table is the built-in rules of p with the decisions p gives them, in the
// order they are tried.
func (p Policy) Table() []Rule {
	out := slices.Clone(p.table())
	for i := range out {
		out[i].Decision = p.decision(&out[i])
		out[i].Match, out[i].NotMatch = slices.Clone(out[i].Match), slices.Clone(out[i].NotMatch)
	}
	return out
}

// Rule finds a rule of p by its id. A rule that only another profile has is
// found too: a person may look up what an older verdict said.
func (p Policy) Rule(id string) (Rule, bool) {
	tables := [][]Rule{p.Table(), Rules()}
	for _, rows := range ruleSets {
		tables = append(tables, rows)
	}
	for _, rows := range tables {
		if i := slices.IndexFunc(rows, func(r Rule) bool { return r.ID == id }); i >= 0 {
			return rows[i], true
		}
	}
	return Rule{}, false
}
