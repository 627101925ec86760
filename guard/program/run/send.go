package run

import (
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/place"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// Send writes down that a program sends something to a host.
func Send(w *shell.Walker, a effect.Arg, program, host, sends string, from []string) {
	w.EmitAt(a, effect.Effect{
		Kind: effect.Net, Name: program, Text: host, Sends: sends, From: from,
		Inside:  place.LocalHost(host) || slices.Contains(place.WebClients, program) && place.Service(host),
		Unknown: strings.Contains(host, effect.Unknown),
	})
}
