package program

import (
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/place"
)

var (
	plain, local, bare, caches = named("plain"), named("local"), named("bare"), named("caches")
	drastic, whole, naming     = named("drastic"), named("whole"), named("naming")
	steering, mild, services   = named("steering"), named("mild"), named("services")
	giving, running, building  = named("giving"), named("running"), named("building")
)

// Drastic reports arguments that take something away or bring it to others, whichever
// program they are for: by their verb, an option, a target, or what the program is called
// after. A model knows better where it says of a verb what it means.
func Drastic(name string, args []effect.Arg) bool {
	if m := Of(name); plain.Has(name) || argv.Rehearsal(args) || m != nil && !m.leavesOpen(name, args) {
		return false
	}
	words := parts(name, args)
	if calledAfter(name) && !argv.Given(args, "--version") && (len(words) == 0 || !looking.Has(words[0])) {
		return true
	}
	before := ""
	for i, word := range words {
		next := ""
		if i+1 < len(words) {
			next = words[i+1]
		}
		switch {
		case looking.Has(word), looking.Has(verbOf(word)), looking.Has(before), caches.Has(word),
			i == 0 && (own.Has(word) || effect.Among(word, "run exec")),
			effect.Among(word, "rm del") && !remote(args) && !services.Has(before),
			strings.Trim(word, "0123456789") == "":
			return false
		case loses(words[i : i+1]), strong(word), steers(before, word, next):
			return true
		case strings.HasSuffix(name, "ctl") && next != "" && (steering.Has(word) || effect.Among(word, "kill start stop")):
			return true // svcctl stop y
		}
		before = word
	}
	return gives(args) || production(args) && slices.ContainsFunc(words, func(word string) bool {
		return altering.Has(word) || steering.Has(word) || mild.Has(word) || running.Has(word)
	})
}

// parts are the first words of a command, those of group:verb one by one. One behind an
// option is its value, unless the option never has any.
func parts(name string, args []effect.Arg) (list []string) {
	for _, word := range CommandWords(name, args) {
		at := slices.IndexFunc(args, func(a effect.Arg) bool { return a.Text == word })
		if at > 0 && strings.HasPrefix(args[at-1].Text, "-") && !strings.Contains(args[at-1].Text, "=") &&
			!bare.Has(args[at-1].Text) {
			continue
		}
		switch {
		case strings.ContainsAny(word, "/=@ "):
			list = append(list, word)
		case isFile(word):
			list = append(list, "./"+word)
		default:
			list = append(list, strings.FieldsFunc(word, func(r rune) bool { return r == ':' })...)
		}
		if len(list) > 3 {
			break
		}
	}
	return list
}

// isFile reports the name of a file, which is no verb: delete_old.py. One of a group's is
// behind the last dot: images.delete.
func isFile(word string) bool {
	at := strings.LastIndexByte(word, '.')
	ext := word[at+1:]
	if at < 1 || len(ext) == 0 || len(ext) > 4 || strings.ContainsAny(word, ":#") {
		return false
	}
	verbs := []*argv.NameSet{losing, drastic, whole, steering, mild, running, altering, looking}
	return !slices.ContainsFunc(verbs, func(n *argv.NameSet) bool { return n.Has(ext) })
}

// strong reports a word with one of the verbs that are hardly ever for what is only here:
// publish, app-deploy, images:push, .#deploy.
func strong(word string) bool {
	if strings.HasPrefix(word, ".") && !strings.HasPrefix(word, ".#") || effect.Begins(word, "pre- post-") {
		return false
	}
	word = word[strings.LastIndexAny(word, ":.#")+1:]
	return whole.Has(word) || !strings.ContainsAny(word, "/=@ ") &&
		slices.ContainsFunc(strings.Split(word, "-"), drastic.Has)
}

// steers reports a verb that changes what a service has, with that before or behind it, or
// in the same word: incident ack, scale nodes, set-pipeline.
func steers(before, word, next string) bool {
	verb, about, _ := strings.Cut(word, "-")
	return steering.Has(verb) && verbOf(before) != "" && !strings.Contains(before, ".") && !local.Has(before) ||
		mild.Has(word) && services.Has(before) ||
		(steering.Has(verb) || mild.Has(verb)) && (services.Has(next) || services.Has(about))
}

// calledAfter reports a program with such a verb in its name: elm-publish, aws-nuke.
func calledAfter(name string) bool {
	return !strings.ContainsAny(name, "._") && Of(name) == nil &&
		slices.ContainsFunc(strings.Split(strings.ToLower(name), "-"), naming.Has)
}

// remote reports an argument that is an address.
func remote(args []effect.Arg) bool {
	return argv.AnyText(args, func(s string) bool { return strings.Contains(s, "://") })
}

// gives reports an option that is called after such a verb.
func gives(args []effect.Arg) bool {
	return argv.AnyText(args[:min(len(args), 64)], func(s string) bool {
		name, value, _ := strings.Cut(s, "=")
		return giving.Has(name) && !effect.Among(value, "never false no")
	})
}

// production reports an option whose value is the systems that people use.
func production(args []effect.Arg) bool {
	for i, a := range args[:min(len(args), 64)] {
		option, value, joined := strings.Cut(a.Text, "=")
		if !joined && i > 0 {
			option, value = args[i-1].Text, a.Text
		}
		if strings.HasPrefix(option, "-") && !strings.Contains(value, "/") && !building.Has(option) &&
			slices.ContainsFunc(strings.FieldsFunc(strings.ToLower(value), func(r rune) bool {
				return strings.ContainsRune("-_.:=", r)
			}), func(s string) bool { return s == "prod" || s == "production" }) {
			return true
		}
	}
	return false
}

const revealing = "get download export show reveal decrypt view dump"

// Reveals reports a program told to print a credential of its own: auth token, secrets get.
func Reveals(name string, args []effect.Arg) bool {
	if plain.Has(name) || argv.Rehearsal(args) {
		return false
	}
	before, store := "", false
	for _, word := range parts(name, args) {
		store = store || effect.Among(word, "secret secrets keyring keychain credential credentials password passwords")
		if before == "auth" && effect.Among(word, "token tokens") || effect.Among(before, "token tokens") &&
			effect.Among(word, "print reveal") || store && effect.Among(word, revealing) ||
			effect.Among(before, "get output reveal") && strings.Contains(word, "_") && place.SecretVariable(word) {
			return true
		}
		before = word
	}
	return argv.Has(args, "--show-secrets", "--show-secret", "--show-token", "--reveal")
}

// leavesOpen reports a program of which the model doesn't know every word: it has verbs, or
// nothing is said of its operands, and neither is what these arguments mean.
func (m *Model) leavesOpen(name string, args []effect.Arg) bool {
	changes := func(p Phrase) bool { return p[0] == "@changes" }
	for _, phrases := range m.Means {
		if slices.ContainsFunc(phrases, changes) {
			return false
		}
	}
	words := CommandWords(name, args)
	for _, phrases := range m.Unless {
		if slices.ContainsFunc(phrases, func(p Phrase) bool { return p.match(words, args, args) }) {
			return false
		}
	}
	return m.Verbs() || !m.Has("operands") && m.Wrapper == nil && !m.Has("code")
}
