package guard

import (
	"slices"
	"strings"
)

// environment takes NAME=value words off, as env and sudo do.
func (w *walker) environment(st *state, name string, rest []arg) ([]arg, *state) {
	if !slices.Contains([]string{"env", "genv", "sudo", "doas", "cross-env"}, name) {
		return rest, st
	}
	st = st.clone()
	for len(rest) > 0 && w.spend(1) {
		key, value, ok := strings.Cut(rest[0].text, "=")
		if !ok || key == "" {
			break
		}
		w.emitAt(rest[0], effect{kind: kindEnv, name: key, text: value})
		st.assign(key, constant(value), rest[0].from)
		st.export(key)
		rest = rest[1:]
	}
	return rest, st
}

// joined is the arguments as one text, the way eval and watch read them.
func joined(args []arg) arg {
	code := args[0]
	if len(args) == 1 {
		return code
	}
	code.text, code.exact = strings.Join(texts(args), " "), false
	for _, a := range args[1:] {
		code.from = mixed(code.from, a.from...)
		if a.index == code.index {
			code.span.End = max(code.span.End, a.span.End)
		}
	}
	return code
}

// command and builtin run what follows past functions and aliases; with -v
// command only looks.
func command(w *walker, st *state, args []arg, in stream) stream {
	rest := args[1:]
	for len(rest) > 0 && strings.HasPrefix(rest[0].text, "-") && len(rest[0].text) > 1 {
		if strings.ContainsAny(rest[0].text, "vV") {
			return which(w, st, args, in)
		}
		rest = rest[1:]
	}
	return w.beyond(st, "command", args[0], rest, in)
}

func execute(w *walker, st *state, args []arg, in stream) stream {
	rest := args[1:]
	for len(rest) > 0 && strings.HasPrefix(rest[0].text, "-") && len(rest[0].text) > 1 {
		if strings.HasSuffix(rest[0].text, "a") {
			rest = rest[min(1, len(rest)):]
		}
		rest = rest[min(1, len(rest)):]
	}
	return w.beyond(st, "exec", args[0], rest, in)
}

// beyond is exec with the construct that led to it on the chain.
func (w *walker) beyond(st *state, construct string, a arg, rest []arg, in stream) stream {
	if len(rest) == 0 || !w.deeper() {
		return stream{}
	}
	defer func() { w.nested-- }()
	defer w.enter(construct, "", a.span)()
	return w.exec(st, rest, in)
}
