package project

import (
	"github.com/pillion-sidecar/pillion/guard/program/run"
)

// Family is what builds, publishes and sets up projects.
func Family() run.Family {
	return run.Family{
		Kinds:  map[string]run.Kind{"make": makeText, "makevar": makeAssignment, "gdb": gdbCommand},
		Before: []run.Look{urlPackages, texShell},
		Files:  project,
		After:  []run.Look{packageSet, onProduction},
		Means: []run.Meaning{
			{Word: "outward/publish", When: publishes},
			{Word: "system/source", When: plainSource},
		},
	}
}
