package guard

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// readSpec is read's options that take a value.
var readSpec = newSpec(":::", "-a: -d: -i: -n: -N: -p: -t: -u:")

var mapfileSpec = newSpec(":::", "-d: -n: -O: -s: -u: -C: -c:")

// reads is the builtin read: it takes a line off its input and spreads it over
// variables, as in `read c <<< 'rm -rf /'; $c`.
func reads(w *walker, st *state, args []arg, in stream) stream {
	_, names := readSpec.leading(args[1:])
	options := args[1 : len(args)-len(names)]
	for _, fd := range valuesOf(options, "-u") {
		in = w.fds[fd.text]
	}
	text, raw := line(in), false
	if slices.ContainsFunc(names, func(a arg) bool {
		name, _, _ := strings.Cut(a.text, "[")
		return !syntax.ValidName(name)
	}) {
		text = unknown // an error: some shells read before it, some nothing
	}
	for _, o := range options {
		if short(o.text, "nNid") { // not a line of this input
			text = unknown
		}
		raw = raw || short(o.text, "r")
	}
	if ifs := w.get(st, "IFS"); !onlyBlanks(ifs) && (!evenText(ifs, text) || strings.TrimRight(text, ifs) != text) {
		text = unknown // shells keep the empty words
	}
	split := func(n int) []string {
		if strings.Contains(text, unknown) && n != 1 {
			return nil
		}
		return expand.ReadFields(w.config(st, substitutions{}), text, n, raw)
	}
	if arrays := valuesOf(options, "-a"); len(arrays) > 0 {
		list := split(-1)
		if list == nil {
			list = []string{unknown}
		}
		st.assign(arrays[0].text, perhapsRead(in, indexed(list)), in.from)
		return stream{}
	}
	if len(names) == 0 {
		st.assign("REPLY", perhapsRead(in, constant(text)), in.from)
	}
	parts := split(len(names))
	for i, name := range names {
		w.subscript(st, "read", name)
		value := ""
		switch {
		case parts == nil && text != "":
			value = unknown
		case i < len(parts):
			value = parts[i]
		}
		st.assign(name.text, perhapsRead(in, constant(value)), in.from)
	}
	return stream{}
}

// perhapsRead is what a variable holds that was read from this.
func perhapsRead(in stream, b binding) binding {
	if in.maybe {
		return union(b, unknownBinding)
	}
	return b
}

// line takes the next line off a stream.
func line(in stream) string {
	text := in.rest()
	if !in.open || text == "" || text == unknown {
		return unknown
	}
	text, _, _ = strings.Cut(text, "\n")
	if in.pos != nil {
		*in.pos += len(text) + 1
	}
	return text
}

// mapfile reads all lines into an array.
func mapfile(w *walker, st *state, args []arg, in stream) stream {
	_, names := mapfileSpec.leading(args[1:])
	for _, code := range valuesOf(args[1:len(args)-len(names)], "-C") { // runs for every few lines
		w.code(st.clone(), "mapfile -C", code, w.lang, stream{})
	}
	name := "MAPFILE"
	if len(names) > 0 {
		name = names[len(names)-1].text
	}
	list := []string{unknown}
	if in.open && in.text != unknown {
		list = strings.Split(strings.TrimSuffix(in.rest(), "\n"), "\n")
	}
	w.assignMaybe(st, args[0].text, name, perhapsRead(in, indexed(list)), in.from)
	return stream{}
}

// getopts sets its variable to one of the letters, and OPTARG to a value.
func getopts(_ *walker, st *state, args []arg, _ stream) stream {
	for _, a := range args[min(2, len(args)):min(3, len(args))] {
		st.set(a.text, unknownBinding)
	}
	st.set("OPTARG", unknownBinding)
	return stream{}
}
