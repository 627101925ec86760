package program

import (
	_ "embed" // verbs.txt
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
)

// verbsText says what verbs mean.
//
//go:embed verbs.txt
var verbsText string

func named(key string) *argv.NameSet { return argv.NamesOf(&verbsText, key) }

var (
	looking, own, losing = named("looking"), named("own"), named("losing")
	altering, other      = named("altering"), named("other")
)

// Changes reports words for a remote service of which none says that it looks, or works on
// this machine. Clients get new verbs with every release, so that an unknown one is a change.
// The first verb decides: "describe create-user" looks, "ssh-key delete" doesn't.
func Changes(words []string) bool {
	for i, word := range words[:min(len(words), 5)] {
		group, _, _ := strings.Cut(word, ":")
		verb := verbOf(word)
		switch {
		case i == 0 && own.Has(word), i < 2 && effect.Among(group, "emulators local git"):
			return false
		case looking.Has(word), looking.Has(verb):
			return false
		case loses(words[i : i+1]), altering.Has(verb), altering.Has(word[strings.LastIndexByte(word, '-')+1:]):
			return true
		case looking.Has(word[strings.LastIndexByte(word, '-')+1:]): // item-list
			return false
		}
	}
	if len(words) == 1 && strings.HasSuffix(words[0], "s") && !strings.Contains(words[0], "-") { // apps
		return false
	}
	return len(words) > 0 && !slices.ContainsFunc(words[:min(len(words), 3)], func(word string) bool {
		return other.Has(word) || own.Has(word)
	})
}

// verbOf is the verb in get-thing, thing:get, thing.get and GetThing.
func verbOf(word string) string {
	if strings.ContainsAny(word, "/=@ ") {
		return ""
	}
	word = word[strings.LastIndexAny(word, ":.")+1:]
	for i := 1; i < len(word); i++ {
		if c := word[i]; c == '-' || c == '_' || c >= 'A' && c <= 'Z' {
			return strings.ToLower(word[:i])
		}
	}
	return word
}
