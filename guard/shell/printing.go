package shell

import (
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"github.com/pillion-sidecar/pillion/guard/effect"
)

// echo prints its words. A dash reads escapes in them always, bash with -e.
func echo(w *Walker, _ *State, args []effect.Arg, _ effect.Stream) effect.Stream {
	words, end := effect.Texts(args[1:]), "\n"
	escapes := w.Lang == syntax.LangPOSIX
	for len(words) > 0 && len(words[0]) > 1 && words[0][0] == '-' && strings.Trim(words[0][1:], "neE") == "" {
		if strings.Contains(words[0], "n") {
			end = ""
		}
		escapes = escapes || strings.Contains(words[0], "e")
		words = words[1:]
	}
	text := strings.Join(words, " ")
	if escapes && strings.Contains(text, `\`) {
		text = Echoed(text)
	}
	return effect.Stream{Text: text + end, Open: true, From: effect.Origins(args[1:])}
}

// Echoed reads \n, \x72 and \0162 as echo -e and %b do.
func Echoed(text string) string {
	out, _, err := expand.Format(&expand.Config{}, "%b", []string{text})
	if err != nil {
		return effect.Unknown
	}
	return out
}

func printf(w *Walker, st *State, args []effect.Arg, _ effect.Stream) effect.Stream {
	words, from, into := effect.Texts(args[1:]), effect.Origins(args[1:]), ""
	if len(words) > 2 && words[0] == "-v" {
		w.subscript(st, "printf -v", args[2])
		into, words = words[1], words[2:]
	}
	if len(words) > 0 && words[0] == "--" {
		words = words[1:]
	}
	if len(words) == 0 {
		return effect.Stream{}
	}
	text := formatted(words[0], words[1:])
	if len(words[0]) > 1 && words[0][0] == '-' && len(effect.Texts(args[1:])) == len(words) {
		text = effect.Unknown // an option: -%s is not one
	}
	if into == "" {
		return effect.Stream{Text: text, Open: true, From: from}
	}
	w.assignMaybe(st, "printf", into, Constant(text), from)
	return effect.Stream{}
}

// formatted is what printf prints, the format used again until no word is left.
func formatted(f string, words []string) string {
	if padding(f) > effect.MaxPrinted {
		return effect.Unknown
	}
	if n := strings.Count(f, "%q"); n > 0 && n == strings.Count(f, "%") {
		f, words = strings.ReplaceAll(f, "%q", "%s"), slices.Clone(words)
		for i, word := range words {
			if quoted, err := syntax.Quote(word, syntax.LangBash); err == nil { // else unknown, and one word
				words[i] = quoted
			}
		}
	}
	var out strings.Builder
	for out.Len() < effect.MaxPrinted {
		// A config of our own: for nil the library writes to one it shares.
		text, used, err := expand.Format(&expand.Config{}, f, words)
		if err != nil {
			return effect.Unknown
		}
		out.WriteString(text)
		if words = words[used:]; used == 0 || len(words) == 0 {
			return out.String()
		}
	}
	return out.String() + effect.Unknown
}

// padding is an upper bound of what the widths in a format add: one line of
// %999999d is gigabytes.
func padding(f string) int {
	total := 0
	for spec := range strings.SplitSeq(f, "%") {
		spec = spec[:len(spec)-len(strings.TrimLeft(spec, "0123456789.*-+ #"))]
		for number := range strings.FieldsFuncSeq(spec, func(r rune) bool { return r < '0' || r > '9' }) {
			n, err := strconv.Atoi(number)
			if total += n; err != nil || total > effect.MaxPrinted {
				return effect.MaxPrinted + 1
			}
		}
	}
	return total
}
