package program

import (
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
)

var (
	// looking are verbs that look, wherever they are: as a word, get-thing, thing:get, GetThing.
	looking = argv.Names(`list ls get describe show view inspect tail read cat find lookup download fetch diff explain
		validate whoami wait info write-kubeconfig head exists ping print ps help simulate decode
		estimate presign preview what-if`)
	// own are groups of what is set up on this machine.
	own = argv.Names(`config configure auth context contexts profile profiles plugin plugins completion completions
		emulators local git login logout alias autocomplete`)
	// altering are verbs that are no group's name.
	altering = argv.Names(`create update set unset put add post push apply deploy start stop restart publish enable
		disable patch import move invite upload write edit`)
	// other words look or work here, or are the group of verbs that change something.
	other = argv.Names(`dev build serve generate gen init new version types package synth compile fmt format test
		template render sandbox link switch use docs doctor setup pack process codegen console dashboard sign-in signin
		target targets log-in scaffold convert agent extract experiments setup:emulators authenticate
		search query export check me watch top stat scan tree history stats browse monitor verify pull dump
		compare lint subscribe sub listen ssh proxy port-forward filter select open wget du analyze env-vars manifests
		processlist extended-status variables catalog df about shell connect connection-string neat logs log status
		events plan health usage metrics members env log-tail functions:log topic`)
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
