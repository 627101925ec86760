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
		estimate presign preview what-if search lint compare`)
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
		query export check me watch top stat scan tree history stats browse monitor verify pull dump
		subscribe sub listen ssh proxy port-forward filter select open wget du analyze env-vars manifests
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

// drastic are verbs that a program hardly has for what is only on this machine.
var drastic = argv.Names(`deploy redeploy publish unpublish push upload send post promote failover decommission evict
	transfer submit drain terminate invalidate unseal seal revoke broadcast tweet apply trigger announce`)

// steering are verbs of a service behind what they are about: incident ack, not ack incident.
var steering = argv.Names(`create update enable disable merge restart scale cancel resolve ack acknowledge run launch`)

// plain are programs without a model whose operands are names: of files, of programs.
var plain = argv.Names(`man info cheat command compgen builtin enable complete gojq jaq find fd ack dune svu say
	cd pushd popd eval exec source . read readarray mapfile trap unalias declare typeset export readonly dd tr size
	strip nm objdump objcopy readelf strings ranlib ar as ldd stat sync mktemp tsort stty open xdg-open edit editor
	pager sh dash wish tclsh xargs valgrind gettext pkg-config javac javap jar javadoc in else see link unlink`)

// Drastic reports arguments that take something away or bring it to others, for a program
// that no model is about. What follows an option may be its value.
func Drastic(name string, args []effect.Arg) bool {
	if plain.Has(name) {
		return false
	}
	words := CommandWords(name, args)
	for i, word := range words[:min(len(words), 3)] {
		at := slices.IndexFunc(args, func(a effect.Arg) bool { return a.Text == word })
		switch {
		case at > 0 && strings.HasPrefix(args[at-1].Text, "-"):
		case looking.Has(word), looking.Has(verbOf(word)), i == 0 && own.Has(word),
			effect.Among(word, "run exec rm del"), strings.Trim(word, "0123456789") == "":
			return false
		case loses(words[i : i+1]), drastic.Has(word[strings.LastIndexAny(word, ":.")+1:]) && word[0] != '.',
			i == 1 && steering.Has(word) && verbOf(words[0]) != "" && !strings.Contains(words[0], "."):
			return true
		}
	}
	return false
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
