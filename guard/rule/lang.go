package rule

import (
	"github.com/pillion-sidecar/pillion/guard/effect"
)

// langWhen are predicates of rows about code that one program carries for another: in a one-liner,
// an option or a variable.
var langWhen = map[string]When{
	"code/hook":        func(_ *Context, e *effect.Effect) bool { return e.Kind == effect.Hook && !e.Inside },
	"code/hidden":      func(_ *Context, e *effect.Effect) bool { return e.Kind == effect.Hidden },
	"code/shell":       func(_ *Context, e *effect.Effect) bool { return e.Kind == effect.Shell },
	"code/script-hook": func(_ *Context, e *effect.Effect) bool { return e.Kind == effect.Hook },
	"env/dump":         func(_ *Context, e *effect.Effect) bool { return e.Kind == effect.Dump },
}
