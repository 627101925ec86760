package rule

import (
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/place"
)

// containerWhen are predicates of rows about containers that reach out of themselves.
var containerWhen = map[string]When{
	"container/socket": func(_ *Context, e *effect.Effect) bool {
		return (e.Kind == effect.Read || Writes(e)) && place.Socket(e.Path)
	},
}
