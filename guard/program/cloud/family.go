package cloud

import (
	"github.com/pillion-sidecar/pillion/guard/program/run"
)

// Family is what tools of clouds change, and send there.
func Family() run.Family {
	return run.Family{Means: []run.Meaning{
		{Word: "outward/deploy", When: deploys},
		{Word: "net/send", When: run.OfMachine(storesAway)},
	}}
}
