package machine

import (
	"github.com/pillion-sidecar/pillion/guard/program/run"
)

// Family is power, processes, services, and who may do what.
func Family() run.Family {
	return run.Family{Means: []run.Meaning{
		{Word: "agent/unbraked", When: asksNobody},
		{Word: "secret/keys", When: watchesUser},
		{Word: "process/kill-all", When: killsAll},
		{Word: "process/kill-parent", When: killsParent},
		{Word: "system/kill-by-name", When: run.OfMachine(killsByName)},
		{Word: "system/attack-tool", When: attacks},
		{Word: "persist/tracks", When: run.OfMachine(coversTracks)},
		{Word: "system/root-shell", When: rootShell},
		{Word: "system/root", When: asRoot},
	}}
}
