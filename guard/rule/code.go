package rule

import (
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/place"
)

// codeWhen are predicates of rows about whose program or code runs.
var codeWhen = map[string]When{
	"program/outside": func(_ *Context, e *effect.Effect) bool { return e.Kind == effect.Exec && !e.Inside && !e.Unknown },
	"code/remote":     func(_ *Context, e *effect.Effect) bool { return e.Kind == effect.Code && effect.Fetched(e.From) },
	"code/decoded":    func(_ *Context, e *effect.Effect) bool { return e.Kind == effect.Code && effect.Decoded(e.From) },
	"code/library":    func(_ *Context, e *effect.Effect) bool { return e.Kind == effect.Code && e.Name == "library" },
	"env/loader": func(_ *Context, e *effect.Effect) bool {
		return e.Kind == effect.Env && place.Loaders()[e.Name] && e.Text != ""
	},
	"program/unknown": func(_ *Context, e *effect.Effect) bool { return e.Kind == effect.Exec && e.Unknown },
	"code/unknown":    func(_ *Context, e *effect.Effect) bool { return e.Kind == effect.Code },
}
