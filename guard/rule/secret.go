package rule

import (
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/place"
)

// secretWhen are predicates of rows about credentials: reading, copying, publishing them.
var secretWhen = map[string]When{
	"secret/read": func(_ *Context, e *effect.Effect) bool {
		return e.Kind == effect.Read && !e.Discreet && place.Secret(e)
	},
	"secret/search-history": func(_ *Context, e *effect.Effect) bool {
		return e.Kind == effect.Secret && e.Name == "history"
	},
	"secret/metadata": func(_ *Context, e *effect.Effect) bool {
		return e.Kind == effect.Net && place.Metadata(e.Text)
	},
	"secret/variable": func(_ *Context, e *effect.Effect) bool {
		return e.Kind == effect.Secret && e.Name == "variable"
	},
	"secret/environment": dumpsEnvironment,
}

// dumpsEnvironment is every way to print all variables at once.
func dumpsEnvironment(_ *Context, e *effect.Effect) bool {
	return !e.Discreet && (e.Kind == effect.Secret && e.Name == "environment" || e.Is(effect.PrintsAll))
}
