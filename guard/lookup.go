package guard

import "slices"

// Table is the rules of p with the decisions p gives them: the built-in ones in
// the order they are tried, then those of policy files.
func (p Policy) Table() []Rule {
	out := slices.Clone(p.table())
	for i := range p.Custom {
		out = append(out, p.Custom[i].row())
	}
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
	for _, rows := range ruleSets() {
		tables = append(tables, rows())
	}
	for _, rows := range tables {
		if i := slices.IndexFunc(rows, func(r Rule) bool { return r.ID == id }); i >= 0 {
			return rows[i], true
		}
	}
	return Rule{}, false
}
