package rule

import (
	"github.com/pillion-sidecar/pillion/guard/effect"
)

// inputWhen are predicates of rows about text that can't be read, or not to its end.
var inputWhen = map[string]When{
	"input/bytes":         Problem(effect.ProblemBytes),
	"input/size":          Problem(effect.ProblemSize),
	"input/invalid":       Problem(effect.ProblemInput),
	"input/nested-shells": Problem(effect.ProblemDepth),
	"parse/error":         Problem(effect.ProblemSyntax),
	"parse/opaque":        Problem(effect.ProblemOpaque),
	"budget/work": func(_ *Context, e *effect.Effect) bool {
		return e.Kind == effect.Problem && (e.Name == effect.ProblemBudget || e.Name == effect.ProblemNesting)
	},
	"guard/internal": unexplained,
}

// unexplained reports a problem that no other row is about: a fault of the
// guard, or a problem somebody added without a row.
func unexplained(_ *Context, e *effect.Effect) bool {
	switch e.Name {
	case effect.ProblemSize, effect.ProblemBytes, effect.ProblemSyntax, effect.ProblemOpaque, effect.ProblemNesting,
		effect.ProblemDepth, effect.ProblemBudget, effect.ProblemInput:
		return false
	}
	return e.Kind == effect.Problem
}
