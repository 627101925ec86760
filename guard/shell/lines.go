package shell

import (
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/place"
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

// readSpec is read's options that take a value.
var readSpec = argv.New(":::", "-a: -d: -i: -n: -N: -p: -t: -u:")

var mapfileSpec = argv.New(":::", "-d: -n: -O: -s: -u: -C: -c:")

// reads is the builtin read: it takes a line off its input and spreads it over
// variables, as in `read c <<< 'rm -rf /'; $c`.
func reads(w *Walker, st *State, args []effect.Arg, in effect.Stream) effect.Stream {
	_, names := readSpec.Leading(args[1:])
	options := args[1 : len(args)-len(names)]
	for _, fd := range argv.Values(options, "-u") {
		in = w.fds[fd.Text]
	}
	if prompt := argv.Values(options, "-p"); len(prompt) > 0 && slices.ContainsFunc(options, func(o effect.Arg) bool {
		return argv.Cluster(o.Text, "s")
	}) && place.AsksPassword(prompt[0].Text) {
		w.EmitAt(prompt[0], effect.Effect{Kind: effect.Marked, Name: "secret/prompt", Text: prompt[0].Text})
	}
	text, raw := line(in), false
	if slices.ContainsFunc(names, func(a effect.Arg) bool {
		name, _, _ := strings.Cut(a.Text, "[")
		return !syntax.ValidName(name)
	}) {
		text = effect.Unknown // an error: some shells read before it, some nothing
	}
	for _, o := range options {
		if argv.Cluster(o.Text, "nNid") { // not a line of this input
			text = effect.Unknown
		}
		raw = raw || argv.Cluster(o.Text, "r")
	}
	if ifs := w.Get(st, "IFS"); !onlyBlanks(ifs) && (!evenText(ifs, text) || strings.TrimRight(text, ifs) != text) {
		text = effect.Unknown // shells keep the empty words
	}
	split := func(n int) []string {
		if strings.Contains(text, effect.Unknown) && n != 1 {
			return nil
		}
		return expand.ReadFields(w.config(st, substitutions{}), text, n, raw)
	}
	if arrays := argv.Values(options, "-a"); len(arrays) > 0 {
		list := split(-1)
		if list == nil {
			list = []string{effect.Unknown}
		}
		st.Assign(arrays[0].Text, perhapsRead(in, indexed(list)), in.From)
		return effect.Stream{}
	}
	if len(names) == 0 {
		st.Assign("REPLY", perhapsRead(in, Constant(text)), in.From)
	}
	parts := split(len(names))
	for i, name := range names {
		w.subscript(st, "read", name)
		value := ""
		switch {
		case parts == nil && text != "":
			value = effect.Unknown
		case i < len(parts):
			value = parts[i]
		}
		st.Assign(name.Text, perhapsRead(in, Constant(value)), in.From)
	}
	return effect.Stream{}
}

// perhapsRead is what a variable holds that was read from this.
func perhapsRead(in effect.Stream, b Binding) Binding {
	if in.Maybe {
		return union(b, unknownBinding)
	}
	return b
}

// line takes the next line off a stream.
func line(in effect.Stream) string {
	text := in.Rest()
	if !in.Open || text == "" || text == effect.Unknown {
		return effect.Unknown
	}
	text, _, _ = strings.Cut(text, "\n")
	if in.Pos != nil {
		*in.Pos += len(text) + 1
	}
	return text
}

// mapfile reads all lines into an array.
func mapfile(w *Walker, st *State, args []effect.Arg, in effect.Stream) effect.Stream {
	_, names := mapfileSpec.Leading(args[1:])
	for _, code := range argv.Values(args[1:len(args)-len(names)], "-C") { // runs for every few lines
		w.Code(st.Clone(), "mapfile -C", code, w.Lang, effect.Stream{})
	}
	name := "MAPFILE"
	if len(names) > 0 {
		name = names[len(names)-1].Text
	}
	list := []string{effect.Unknown}
	if in.Open && in.Text != effect.Unknown {
		list = strings.Split(strings.TrimSuffix(in.Rest(), "\n"), "\n")
	}
	w.assignMaybe(st, args[0].Text, name, perhapsRead(in, indexed(list)), in.From)
	return effect.Stream{}
}

// getopts sets its variable to one of the letters, and OPTARG to a value.
func getopts(_ *Walker, st *State, args []effect.Arg) {
	for _, a := range args[min(2, len(args)):min(3, len(args))] {
		st.set(a.Text, unknownBinding)
	}
	st.set("OPTARG", unknownBinding)
}
