// Package secret knows what prints, copies and sends credentials.
package secret

import (
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/program/run"
)

// Family is what prints, copies and sends credentials.
func Family() run.Family {
	return run.Family{Means: []run.Meaning{
		{Word: "secret/copy", When: copiesSecret},
		{Word: "secret/store", When: run.OfMachine(asksStore)},
		{Word: "secret/send", When: postsSecret},
		{Word: "secret/variable", When: printsSecret},
		{Word: effect.PrintsAll, When: run.PrintsAll},
	}}
}
