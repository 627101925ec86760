package profile

import (
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/program/files"
)

// own are the words that are the program's own and not those of what it runs.
func own(program string, words []string) []string {
	values, ok := ownValues()[program]
	if !ok {
		return words
	}
	for i := 0; i < len(words); i++ {
		switch {
		case words[i] == "-m":
			return words[:min(i+2, len(words))]
		case slices.Contains(values, words[i]):
			i++
		case !strings.HasPrefix(words[i], "-") && !strings.Contains(words[i], "="):
			return words[:i+1]
		}
	}
	return words
}

// readsCode is an interpreter without a script: it would run its input.
func readsCode(words []string) bool {
	for _, word := range words {
		if word == "-" || word == "/dev/stdin" {
			return true
		}
		if word == "-m" || !strings.HasPrefix(word, "-") || word == "--version" || word == "-V" || word == "-VV" ||
			word == "-v" || word == "--help" || word == "-h" || strings.HasPrefix(word, "-m") {
			return false
		}
	}
	return true
}

// fedPrograms are those that any argument is harmless for, so that xargs may add
// some that nobody has seen.
var fedPrograms = argv.NamesOf(&inspectText, "fed")

func feeds(words []string) bool {
	args := make([]effect.Arg, len(words))
	for i, word := range words {
		args[i].Text = word
	}
	_, rest := files.XargsSpec.Leading(args)
	return len(rest) > 0 && !fedPrograms.Has(rest[0].Text)
}

// startsAllowed looks behind the programs of the table that start others: those must
// be in the table, too. Options that take a value could hide which word is the
// program, so only some without one are let through.
func startsAllowed(e *effect.Effect) bool {
	words := effect.Texts(e.Args)
	switch {
	case e.Name == "npx":
	case e.Name == "uv" && len(words) > 0 && words[0] == "run":
		words = words[1:]
	case e.Name == "uv":
		return len(words) < 2 || words[0] != "tool" || words[1] != "run"
	default:
		return true
	}
	for _, word := range words {
		switch {
		case !strings.HasPrefix(word, "-"):
			return inspectPrograms.Has(word) || e.Name == "uv" && word == "pytest"
		case !effect.Among(word, `-y --yes --no --no-install --offline --frozen --locked --no-sync -q --quiet --version
			-v -V --help -h`):
			return false
		}
	}
	return true
}
