package rule

import (
	"github.com/pillion-sidecar/pillion/guard/effect"
)

// windowsWhen are predicates of rows about what only Windows shells do. Their other commands are
// judged by the rules of every shell.
var windowsWhen = map[string]When{
	"windows/encoded": func(_ *Context, e *effect.Effect) bool {
		return e.Kind == effect.Code && e.Name == effect.EncodedCode
	},
}
