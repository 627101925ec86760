package project

import (
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/place"
	"github.com/pillion-sidecar/pillion/guard/program"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// plainSource reports packages from an address that nobody vouches for.
func plainSource(_ *shell.Walker, e *effect.Effect) bool {
	if !e.Runs("pip", "pip3", "uv", "npm", "pnpm", "yarn", "bun", "gem", "cargo", "poetry", "go", "npx", "bundle",
		"composer") {
		return false
	}
	return argv.Given(e.Args, "--trusted-host") || argv.AnyText(e.Args, func(s string) bool {
		_, url, ok := strings.Cut(s, "http://")
		source := installs(e) || e.Name == "cargo" && strings.HasPrefix(s, "source.")
		return ok && source && !place.LocalHost(place.HostOf(url)) && !place.Service(place.HostOf(url))
	})
}

// installs keeps tests that are given an address apart from installers.
func installs(e *effect.Effect) bool {
	verbs := []string{
		"install", "i", "add", "download", "wheel", "config", "set", "env", "get", "ci", "update",
		"require", "source", "sources", "pip",
	}
	return slices.Contains(verbs, program.BareVerb(e))
}
