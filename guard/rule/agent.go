package rule

import (
	"strings"

	"github.com/pillion-sidecar/pillion/guard/effect"
)

// agentWhen are predicates of rows about other coding agents, and about watching the user.
var agentWhen = map[string]When{
	"secret/keys": func(_ *Context, e *effect.Effect) bool {
		return e.Kind == effect.Read && (strings.HasPrefix(e.Path, "/dev/input/") && e.Path != "/dev/input/" ||
			strings.HasPrefix(e.Path, "/dev/hidraw"))
	},
}
