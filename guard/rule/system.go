package rule

import (
	"github.com/pillion-sidecar/pillion/guard/effect"
)

// systemWhen are predicates of rows about the machine beyond the workspace: root, packages,
// services, the kernel.
var systemWhen = map[string]When{
	"system/flood": func(_ *Context, e *effect.Effect) bool {
		return e.Kind == effect.Bomb && e.Name == effect.EndlessWrite
	},
}
