package git

import (
	"github.com/pillion-sidecar/pillion/guard/program/run"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// Family is git, and what other version controls lose.
func Family() run.Family {
	return run.Family{
		Does:   map[string]shell.Handler{"git": git, "hub": git},
		Kinds:  gitKinds,
		Ruled:  settingsText,
		Before: []run.Look{ownHome},
		Means: []run.Meaning{
			{Word: "git/repoint", When: repoints},
			{Word: "git/discard", When: overwrites},
			{Word: "git/force-push", When: pushes('+')},
			{Word: "git/delete-remote", When: pushes(':')},
		},
	}
}
