package guard

import (
	"slices"
	"strings"
)

// secretHandlers watch what is done with a list of variables, and with the
// shell's history.
func secretHandlers() map[string]handler {
	return map[string]handler{
		"grep": search, "egrep": search, "fgrep": search, "rg": search, "ag": search, "cut": cutNames, "zip": pack,
		"history": printsHistory, "fc": printsHistory,
	}
}

func printsHistory(w *walker, st *state, args []arg, in stream) stream {
	w.operands(st, base(args[0].text), args[1:]) // history -a FILE writes
	return passed(in, base(args[0].text))
}

// search is grep and its kin. Of all variables it may pick ones that are no
// secret; the history it may search for passwords.
func search(w *walker, st *state, args []arg, in stream) stream {
	name := base(args[0].text)
	if h, ok := specs()[name]; ok && len(in.from) > 0 {
		opts, operands := h.options(args[1:])
		w.searchedFor(args[0], in, patterns(opts, operands), anyOption(opts, "-v", "--invert-match"))
	}
	w.operands(st, name, args[1:])
	out := passed(in, name)
	if _, operands, _ := specs()[name].split(args[1:]); len(operands) > 0 && secretArg(strings.Trim(operands[0].text, "^$\\/")) {
		out.from = mixed(out.from, secretNames)
	}
	return out
}

func patterns(opts []option, operands []arg) []string {
	var out []string
	for _, o := range opts {
		if named(o, "-e", "--regexp") {
			out = append(out, o.value.text)
		}
	}
	if len(out) == 0 && len(operands) > 0 {
		out = append(out, operands[0].text)
	}
	return out
}

func (w *walker) searchedFor(a arg, in stream, patterns []string, invert bool) {
	private := slices.ContainsFunc(patterns, hunts)
	if private && (slices.Contains(in.from, "history") || slices.Contains(in.from, "fc")) {
		w.emitAt(a, effect{kind: kindSecret, name: "history", text: "history"})
	}
	if !private && !invert && !slices.ContainsFunc(patterns, vague) && len(patterns) > 0 && anyOf(in.from, dumpers) {
		w.narrowed()
	}
}

// narrowed takes the last dump of all variables back: only harmless ones come
// through.
func (w *walker) narrowed() {
	for i := len(w.effects) - 1; i >= 0; i-- {
		if e := &w.effects[i]; e.kind == kindSecret && e.name == "environment" || printsAll(e) {
			e.discreet = true
			return
		}
	}
}

// hunts reports a pattern that looks for credentials.
func hunts(pattern string) bool {
	lower := strings.ToLower(pattern)
	for _, word := range [...]string{"token", "secret", "passw", "pwd", "key", "cred", "auth", "aws", "api", "private", "session", "cookie", "jwt", "bearer", "login"} {
		if strings.Contains(lower, word) {
			return true
		}
	}
	return false
}

// vague reports a pattern that lets nearly everything through.
func vague(pattern string) bool {
	letters := strings.Trim(pattern, `^$.*+?=[]()|\-AZaz09_`)
	return len(letters) < 2 || strings.ContainsAny(pattern, unknown)
}

// cutNames is cut; -d= -f1 leaves only the names of variables.
func cutNames(w *walker, st *state, args []arg, in stream) stream {
	w.operands(st, "cut", args[1:])
	opts, _ := specs()["cut"].options(args[1:])
	has := func(name, value string) bool {
		return slices.ContainsFunc(opts, func(o option) bool { return o.name == name && o.value.text == value })
	}
	if has("-d", "=") && has("-f", "1") && anyOf(in.from, dumpers) {
		w.narrowed()
		return printed(unknown)
	}
	return passed(in, "cut")
}

// pack is zip, whose -x takes names up to the end.
func pack(w *walker, st *state, args []arg, in stream) stream {
	kept := args[1:]
	if i := slices.IndexFunc(kept, func(a arg) bool { return a.text == "-x" || a.text == "--exclude" }); i >= 0 {
		kept = kept[:i]
	}
	w.operands(st, "zip", kept)
	return passed(in, "zip")
}
