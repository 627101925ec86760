package guard

import (
	"encoding/base64"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
)

func cd(w *walker, st *state, args []arg, _ stream) stream {
	rest := args[1:]
	for len(rest) > 0 && strings.HasPrefix(rest[0].text, "-") && len(rest[0].text) > 1 {
		rest = rest[1:]
	}
	switch {
	case len(rest) == 0:
		rest = []arg{{text: w.get(st, "HOME"), index: args[0].index, span: args[0].span}}
	case rest[0].text == "-":
		w.moveTo(st, w.get(st, "OLDPWD"))
		return stream{}
	case strings.HasPrefix(rest[0].text, "+"):
		w.moveTo(st, unknown)
		return stream{}
	}
	w.path(st, kindRead, rest[0])
	w.moveTo(st, rest[0].text)
	return stream{}
}

func popd(w *walker, st *state, _ []arg, _ stream) stream {
	w.moveTo(st, w.get(st, "OLDPWD"))
	return stream{}
}

// moveTo changes the directory relative paths start from.
func (w *walker) moveTo(st *state, dir string) {
	st.set("OLDPWD", constant(st.cwds[0]))
	var cwds []string
	for _, cwd := range st.cwds {
		p := w.locateFrom(cwd, dir)
		if p.unknown || strings.Contains(dir, unknown) {
			p.path = unknown
		}
		if !slices.Contains(cwds, p.path) {
			cwds = append(cwds, p.path)
		}
	}
	st.cwds = cwds
}

func set(_ *walker, st *state, args []arg, _ stream) stream {
	for i, a := range args[1:] {
		if a.text == "--" || a.text != "" && a.text[0] != '-' && a.text[0] != '+' {
			if a.text == "--" {
				i++
			}
			st.params, st.loose = texts(args[1+i:]), false
			break
		}
	}
	return stream{}
}

func shift(_ *walker, st *state, args []arg, _ stream) stream {
	switch {
	case len(args) > 1:
		st.params, st.loose = nil, true
	case len(st.params) > 0:
		st.params = st.params[1:]
	}
	return stream{}
}

func unset(_ *walker, st *state, args []arg, _ stream) stream {
	for _, a := range args[1:] {
		if strings.HasPrefix(a.text, "-") {
			continue
		}
		st.set(a.text, binding{{}})
		delete(st.funcs, a.text)
	}
	return stream{}
}

// assignsAll is for builtins that give their operands values from input.
func assignsAll(_ *walker, st *state, args []arg, _ stream) stream {
	for _, a := range args[1:] {
		st.set(a.text, unknownBinding)
	}
	return stream{}
}

// export and its kin as plain commands (POSIX): name=value words.
func export(w *walker, st *state, args []arg, _ stream) stream {
	for _, a := range args[1:] {
		if name, value, ok := strings.Cut(a.text, "="); ok {
			st.set(name, constant(value))
			w.emitAt(a, effect{kind: kindEnv, name: name, text: value})
		}
	}
	return stream{}
}

func printed(text string) stream { return stream{text: text, open: true} }

func echo(_ *walker, _ *state, args []arg, _ stream) stream {
	words, end := texts(args[1:]), "\n"
	for len(words) > 0 && (words[0] == "-n" || words[0] == "-e" || words[0] == "-E" || words[0] == "-ne" || words[0] == "-en") {
		if strings.Contains(words[0], "n") {
			end = ""
		}
		words = words[1:]
	}
	text := strings.Join(words, " ") + end
	if strings.Contains(text, `\`) { // escapes differ from shell to shell
		text = unknown
	}
	return printed(text)
}

func printf(_ *walker, st *state, args []arg, _ stream) stream {
	words := texts(args[1:])
	if len(words) > 1 && words[0] == "-v" {
		st.set(words[1], unknownBinding)
		return stream{}
	}
	if len(words) > 0 && words[0] == "--" {
		words = words[1:]
	}
	if len(words) == 0 {
		return stream{}
	}
	format, words := words[0], words[1:]
	var out strings.Builder
	for out.Len() < maxValue {
		// A config of our own: for nil the library writes to one it shares.
		text, used, err := expand.Format(&expand.Config{}, format, words)
		if err != nil {
			return printed(unknown)
		}
		out.WriteString(text)
		if words = words[used:]; used == 0 || len(words) == 0 {
			break
		}
	}
	return printed(out.String())
}

// cat passes its input on; from files it prints what nobody knows here.
func cat(w *walker, st *state, args []arg, in stream) stream {
	w.operands(st, "cat", args[1:])
	out := stream{text: unknown, open: true, from: in.from}
	for _, a := range args[1:] {
		switch s, ok := w.pipes[a.text]; {
		case ok:
			return through(s)
		case !strings.HasPrefix(a.text, "-"):
			return out
		}
	}
	in.file = false
	return in
}

func tee(w *walker, st *state, args []arg, in stream) stream {
	w.operands(st, "tee", args[1:])
	return in
}

func decode(w *walker, st *state, args []arg, in stream) stream {
	w.operands(st, "base64", args[1:])
	out := stream{text: unknown, open: true, from: mixed(in.from, "base64")}
	if len(args) != 2 || !strings.HasPrefix(args[1].text, "-") || !strings.ContainsAny(args[1].text, "dD") {
		return out
	}
	if text, err := base64.StdEncoding.DecodeString(strings.TrimSpace(in.text)); err == nil && badArg(string(text)) < 0 {
		out.text = string(text)
	}
	return out
}

func pwd(_ *walker, st *state, _ []arg, _ stream) stream { return printed(st.cwds[0] + "\n") }

func mktemp(w *walker, st *state, args []arg, _ stream) stream {
	for _, a := range args[1:] {
		if !strings.HasPrefix(a.text, "-") {
			w.path(st, kindWrite, a)
			return printed(strings.TrimRight(a.text, "X") + unknown)
		}
	}
	return printed("/tmp/tmp." + unknown)
}

func which(_ *walker, _ *state, args []arg, _ stream) stream {
	return printed(args[len(args)-1].text + "\n")
}

func basename(_ *walker, _ *state, args []arg, _ stream) stream {
	if len(args) != 2 || strings.Contains(args[1].text, unknown) {
		return printed(unknown)
	}
	return printed(path.Base(args[1].text) + "\n")
}

func dirname(_ *walker, _ *state, args []arg, _ stream) stream {
	if len(args) != 2 || strings.Contains(args[1].text, unknown) {
		return printed(unknown)
	}
	return printed(path.Dir(args[1].text) + "\n")
}

// dd names its files in if= and of=.
func dd(w *walker, st *state, args []arg, in stream) stream {
	for _, a := range args[1:] {
		key, value, _ := strings.Cut(a.text, "=")
		k := map[string]kind{"if": kindRead, "of": kindWrite}[key]
		if k == 0 {
			continue
		}
		a.text, a.exact = value, false
		w.path(st, k, a)
	}
	return somewhere
}

// ln makes links. The target of a symbolic one is read from where the link
// stands, not from the cwd: `ln -s ../shared src/shared` stays inside.
func ln(w *walker, st *state, args []arg, _ stream) stream {
	values, operands, bare := specs()["ln"].split(args[1:])
	symbolic := slices.ContainsFunc(bare, func(b string) bool {
		return b == "--symbolic" || !strings.HasPrefix(b, "--") && strings.Contains(b, "s")
	})
	if n := len(operands); symbolic && n > 1 {
		dir := path.Dir(operands[n-1].text)
		for i := range operands[:n-1] {
			if o := &operands[i]; !strings.HasPrefix(o.text, "/") && !strings.Contains(o.text, unknown) {
				o.text, o.exact = dir+"/"+o.text, false
			}
		}
	}
	w.touch(st, values, bare)
	w.touch(st, operands, bare)
	return stream{}
}
