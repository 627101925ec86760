// Package container knows what containers are given of this machine, and what goes
// with them.
package container

import (
	"github.com/pillion-sidecar/pillion/guard/program/run"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

func containerHandlers() map[string]shell.Handler {
	return map[string]shell.Handler{
		"docker": container, "podman": container, "nerdctl": container,
		"docker-compose": container,
	}
}

// Family is what containers are given, and lose.
func Family() run.Family {
	return run.Family{
		Does: containerHandlers(),
		Means: []run.Meaning{
			{Word: "container/escape", When: escapes},
			{Word: "container/wipe", When: wipes},
			{Word: "container/remote", When: remoteCompose},
		},
	}
}
