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

// publishes is what no phrase can say: a task of Gradle's, whatever project it is in,
// and a request to a forge's API.
func publishes(_ *shell.Walker, e *effect.Effect) bool {
	switch name, args := program.Launched(e.Name, e.Args); name {
	case "gradle", "gradlew":
		return !argv.Rehearsal(args) && argv.AnyText(args, func(s string) bool {
			s = s[strings.LastIndexByte(s, ':')+1:]
			to := strings.HasPrefix(s, "publish") && !strings.Contains(s, "Local") && strings.Contains(s, "To")
			return to || slices.Contains([]string{"publish", "publishPlugins", "uploadArchives", "bintrayUpload"}, s)
		})
	case "gh", "glab":
		words := program.CommandWords(name, args)
		return argv.Begins(words, []string{"api"}) && changesForge(args, words)
	}
	return false
}

var ghSpec = argv.New(":::", `-X: --method: -f: -F: --field: --raw-field: -H: --header: --jq: -q: --input: -t:
	--template: --hostname: --cache: -p: --preview:`)

// changesForge is gh api with another method than GET; fields without a method
// are a POST. Queries of GraphQL are one too.
func changesForge(args []effect.Arg, words []string) bool {
	opts, _ := ghSpec.Options(args)
	fields := false
	for _, o := range opts {
		switch {
		case argv.Named(o, "-X", "--method") && o.Valued:
			return !strings.EqualFold(o.Value.Text, "get") && !strings.EqualFold(o.Value.Text, "head")
		case argv.Named(o, "-f", "-F", "--field", "--raw-field", "--input"):
			fields = true
			if strings.HasPrefix(o.Value.Text, "query=") {
				fields = strings.Contains(o.Value.Text, "mutation")
			}
			if fields && len(words) > 1 && words[1] == "graphql" {
				fields = strings.Contains(o.Value.Text, "mutation")
			}
		}
		if fields {
			return true
		}
	}
	return false
}
