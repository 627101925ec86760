package rule

import (
	"github.com/pillion-sidecar/pillion/guard/effect"
)

// networkWhen are predicates of rows about what leaves the machine, and who gets in.
var networkWhen = map[string]When{
	"net/shell":       sends(effect.SendsShell),
	"net/environment": sends(effect.SendsEnvironment),
	"net/project":     sends(effect.SendsProject),
	"net/encoded":     sends(effect.SendsEncoded),
	"net/send": func(_ *Context, e *effect.Effect) bool {
		return e.Kind == effect.Net && !e.Inside && (e.Sends == effect.SendsFile || e.Sends == effect.SendsOutput)
	},
	"net/tunnel": func(_ *Context, e *effect.Effect) bool {
		return e.Kind == effect.Net && (e.Sends == effect.OpensTunnel || e.Sends == effect.Waits)
	},
}

func sends(what string) func(*Context, *effect.Effect) bool {
	return func(_ *Context, e *effect.Effect) bool {
		return e.Kind == effect.Net && e.Sends == what && (!e.Inside || what == effect.SendsShell)
	}
}
