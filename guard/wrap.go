package guard

import (
	"slices"
	"strings"
)

// wrap takes a wrapper's own arguments off and judges the command behind them.
func wrap(w *walker, st *state, args []arg, in stream) stream {
	name := base(args[0].text)
	if loader(name) {
		name = "ld.so"
	}
	wr := wrappers()[name]
	values, rest := wr.spec.leading(args[1:])
	defer w.enter(name, summary(args[1:]), args[0].span)()
	st = w.chdirs(st, values)
	w.touch(st, values, nil)
	if code, ok := inlineCode(name, args[1:], rest); ok {
		return w.code(st.child(), name, code, w.lang, in)
	}
	rest, st = w.environment(st, name, rest)
	if name == "script" && len(rest) > 0 { // what it records, then BSD's command
		w.path(st, kindWrite, rest[0])
		w.launch(st, rest[1:], in)
		return somewhere
	}
	if name == "su" || name == "script" {
		return somewhere
	}
	if len(rest) <= wr.operands {
		return passed(in, name) // a bare env prints every variable
	}
	own := rest[:wr.operands]
	rest = rest[wr.operands:]
	if wr.operands > 0 && (name == "setarch" || rest[0].text == "--") {
		if _, rest = wr.spec.leading(rest); len(rest) == 0 {
			return somewhere
		}
	}
	if name == "chroot" || name == "flock" && strings.Trim(own[0].text, "0123456789") != "" {
		w.path(st, kindRead, own[0])
	}
	if text, ok := shellText(name, args, rest); ok {
		return w.code(st.child(), name, text, w.lang, in)
	}
	if name == "npx" || name == "bunx" || name == "pnpx" {
		if !w.judges(rest[0].text) {
			return somewhere // a package, no program of the system
		}
	}
	if !w.deeper() {
		return somewhere
	}
	defer func() { w.nested-- }()
	if strings.HasSuffix(name, "db") && strings.Contains(rest[0].text, unknown) { // gdb looks at it
		w.path(st, kindRead, rest[0])
		return somewhere
	}
	return w.exec(st, rest, in)
}

// shellText is the command of a wrapper that hands it to a shell.
func shellText(name string, args, rest []arg) (arg, bool) {
	own := args[1 : len(args)-len(rest)]
	switch name {
	case "watch", "gwatch":
		direct := slices.ContainsFunc(own, func(a arg) bool { return a.text == "-x" || a.text == "--exec" })
		return joined(rest), !direct
	case "hyperfine":
		code := rest[0]
		code.text, code.exact = strings.Join(texts(rest), "\n"), code.exact && len(rest) == 1
		return code, true
	case "flock":
		if len(rest) > 1 && (rest[0].text == "-c" || rest[0].text == "--command") {
			return rest[1], true
		}
	case "entr":
		if slices.ContainsFunc(own, func(a arg) bool { return short(a.text, "s") }) {
			return rest[0], true
		}
	}
	return arg{}, false
}

// deeper counts a level of nesting; the caller takes it off again.
func (w *walker) deeper() bool {
	if w.nested++; w.nested > 2*maxNested {
		w.nested--
		w.stop(problemDepth)
		return false
	}
	return true
}

// leading splits options with their values from what follows the first operand.
func (s *spec) leading(args []arg) (values []operand, rest []arg) {
	for i := 0; i < len(args); i++ {
		if args[i].text == "--" {
			return values, args[i+1:]
		}
		if len(args[i].text) < 2 || args[i].text[0] != '-' {
			return values, args[i:]
		}
		value, next := s.option(args[i], args[i+1:])
		if next {
			i++
		}
		values = append(values, value)
	}
	return values, nil
}

// inlineCode is shell text in an option: su -c, script -qc, env -S. For su and
// its kin it may stand behind the user's name; env's own text ends at its
// command, and what follows is added to it.
func inlineCode(name string, args, rest []arg) (arg, bool) {
	letter, long := "c", "--command"
	switch name {
	case "env", "genv":
		letter, long = "S", "--split-string"
		args = args[:len(args)-len(rest)]
	case "npx":
		long = "--call"
		args = args[:len(args)-len(rest)]
	case "su", "script", "runuser":
	default:
		return arg{}, false
	}
	found := valuesOf(args, "-"+letter, long)
	if len(found) == 0 {
		return arg{}, false
	}
	code := found[0]
	if letter == "S" && len(rest) > 0 {
		for _, a := range rest {
			code.text += " " + quote(a.text)
		}
		code.exact = false
	}
	return code, true
}
