package project

import (
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/program"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

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
