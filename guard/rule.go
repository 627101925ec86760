package guard

import (
	"github.com/pillion-sidecar/pillion/guard/profile"
	"github.com/pillion-sidecar/pillion/guard/rule"
)

// Rules is the built-in table, in the order the rows are tried: for one effect
// the first row that matches speaks, so stricter rows come first.
func Rules() []Rule { return withExamples(rule.Balanced()) }

func withExamples(rows []Rule) []Rule { return rule.WithExamples(rows, profile.Examples()) }
