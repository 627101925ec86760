package rule

import (
	"path"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/place"
)

// persistWhen are predicates of rows about code that stays behind and runs later.
var persistWhen = map[string]When{
	"persist/policy": func(_ *Context, e *effect.Effect) bool {
		return Writes(e) && strings.EqualFold(path.Base(e.Path), place.PolicyFile)
	},
	"persist/hook": func(_ *Context, e *effect.Effect) bool { return e.Kind == effect.Write && place.Hook(e.Path) },
	"persist/tracks": func(_ *Context, e *effect.Effect) bool {
		if e.Kind != effect.Env {
			return false
		}
		return e.Name == "HISTFILE" && (e.Text == "/dev/null" || e.Text == "") ||
			(e.Name == "HISTSIZE" || e.Name == "HISTFILESIZE") && e.Text == "0"
	},
}
