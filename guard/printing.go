package guard

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

func printed(text string) stream { return stream{text: text, open: true} }

// echo prints its words. A dash reads escapes in them always, bash with -e.
func echo(w *walker, _ *state, args []arg, _ stream) stream {
	words, end := texts(args[1:]), "\n"
	escapes := w.lang == syntax.LangPOSIX
	for len(words) > 0 && len(words[0]) > 1 && words[0][0] == '-' && strings.Trim(words[0][1:], "neE") == "" {
		if strings.Contains(words[0], "n") {
			end = ""
		}
		escapes = escapes || strings.Contains(words[0], "e")
		words = words[1:]
	}
	text := strings.Join(words, " ")
	if escapes && strings.Contains(text, `\`) {
		text = echoed(text)
	}
	return stream{text: text + end, open: true, from: origins(args[1:])}
}

// echoed reads \n, \x72 and \0162 as echo -e and %b do.
func echoed(text string) string {
	out, _, err := expand.Format(&expand.Config{}, "%b", []string{text})
	if err != nil {
		return unknown
	}
	return out
}

// origins are the programs whose output is in some of the words.
func origins(args []arg) []string {
	var from []string
	for _, a := range args {
		from = mixed(from, a.from...)
	}
	return from
}

func printf(w *walker, st *state, args []arg, _ stream) stream {
	words, from, into := texts(args[1:]), origins(args[1:]), ""
	if len(words) > 2 && words[0] == "-v" {
		w.subscript(st, "printf -v", args[2])
		into, words = words[1], words[2:]
	}
	if len(words) > 0 && words[0] == "--" {
		words = words[1:]
	}
	if len(words) == 0 {
		return stream{}
	}
	text := formatted(words[0], words[1:])
	if len(words[0]) > 1 && words[0][0] == '-' && len(texts(args[1:])) == len(words) {
		text = unknown // an option: -%s is none
	}
	if into == "" {
		return stream{text: text, open: true, from: from}
	}
	w.assignMaybe(st, "printf", into, constant(text), from)
	return stream{}
}

// formatted is what printf prints, the format used again until no word is left.
func formatted(f string, words []string) string {
	if padding(f) > maxPrinted {
		return unknown
	}
	var out strings.Builder
	for out.Len() < maxPrinted {
		// A config of our own: for nil the library writes to one it shares.
		text, used, err := expand.Format(&expand.Config{}, f, words)
		if err != nil {
			return unknown
		}
		out.WriteString(text)
		if words = words[used:]; used == 0 || len(words) == 0 {
			return out.String()
		}
	}
	return out.String() + unknown
}

// padding is an upper bound of what the widths in a format add: one line of
// %999999d is gigabytes.
func padding(f string) int {
	total := 0
	for spec := range strings.SplitSeq(f, "%") {
		spec = spec[:len(spec)-len(strings.TrimLeft(spec, "0123456789.*-+ #"))]
		for number := range strings.FieldsFuncSeq(spec, func(r rune) bool { return r < '0' || r > '9' }) {
			n, err := strconv.Atoi(number)
			if total += n; err != nil || total > maxPrinted {
				return maxPrinted + 1
			}
		}
	}
	return total
}

// cat passes its input on, and prints files that the command itself has made.
func cat(w *walker, st *state, args []arg, in stream) stream {
	w.operands(st, "cat", args[1:])
	var out stream
	files := 0
	for _, a := range args[1:] {
		if len(a.text) > 1 && a.text[0] == '-' {
			continue
		}
		files++
		switch s, ok := w.pipes[a.text]; {
		case ok:
			out = then(out, through(s))
		case standard(a.text):
			out = then(out, in)
		default:
			if s, ok = w.content(st, a.text); !ok {
				s = stream{text: unknown, open: true}
			}
			out = then(out, s)
		}
	}
	if files == 0 {
		out = in
		out.text, out.file, out.pos = in.rest(), false, nil
	}
	return out
}

func tee(w *walker, st *state, args []arg, in stream) stream {
	w.operands(st, "tee", args[1:])
	add := false
	for _, a := range args[1:] {
		if add = add || short(a.text, "a") || a.text == "--append"; !strings.HasPrefix(a.text, "-") {
			w.keep(st, []arg{a}, in, add)
		}
	}
	return in
}

// ls prints the names that patterns stand for; what is in a directory is not known.
func ls(w *walker, st *state, args []arg, _ stream) stream {
	w.operands(st, "ls", args[1:])
	out := stream{text: unknown, open: true}
	var names strings.Builder
	for _, a := range args[1:] {
		switch glob := strings.LastIndexByte(a.text, '*'); {
		case strings.HasPrefix(a.text, "-") && !short(a.text, "ldF"):
		case glob > strings.LastIndexByte(a.text, '/') && glob+1 < len(a.text):
			names.WriteString("./" + strings.ReplaceAll(a.text, "*", unknown) + "\n")
		default:
			return out
		}
	}
	if names.Len() > 0 {
		out.text = names.String()
	}
	return out
}
