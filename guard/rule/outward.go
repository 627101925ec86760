package rule

import (
	"github.com/pillion-sidecar/pillion/guard/effect"
)

// outwardWhen are predicates of rows about what others see, or lose: releases, deployments,
// databases.
var outwardWhen = map[string]When{
	"outward/remote": func(_ *Context, e *effect.Effect) bool {
		return e.Kind == effect.Net && e.Sends == effect.ChangesThere
	},
	"data/destroy": func(_ *Context, e *effect.Effect) bool { return e.Kind == effect.Data },
}
