package guard

import (
	"slices"
	"strings"
)

// invoke walks a function's body with its arguments.
func (w *walker) invoke(st *state, f function, args []arg, in stream) stream {
	name := args[0].text
	deep := 0
	for _, c := range w.calling {
		if c == name {
			deep++
		}
	}
	if deep > 1 { // its second round knew all that a third would
		return somewhere
	}
	defer w.enter("function "+name, "", args[0].span)()
	at, params, sure, loose, taint := w.at, st.params, st.sure, st.loose, st.taint["@"]
	w.calling = append(w.calling, name)
	w.at = f.at
	st.positional(args[1:])
	defer func() {
		w.at, st.params, st.sure, st.loose = at, params, sure, loose
		st.stain("@", taint)
		w.calling = w.calling[:len(w.calling)-1]
	}()
	defer w.leavable(st)()
	return w.stmt(st, f.body, in)
}

// positional sets $1… . Behind a word that may be none, or many, nobody knows
// the place of another: after "set -- $u src /etc", $2 may be either.
func (s *state) positional(args []arg) {
	s.params, s.loose = texts(args), false
	if s.sure = slices.IndexFunc(args, func(a arg) bool { return a.many }); s.sure < 0 {
		s.sure = len(args)
	}
	var from []string
	for _, a := range args {
		from = mixed(from, a.from...)
	}
	s.stain("@", from)
}

func bytesOf(args []arg) int {
	n := 0
	for _, a := range args {
		n += len(a.text)
	}
	return n
}

func texts(args []arg) []string {
	out := make([]string, len(args))
	for i, a := range args {
		out[i] = a.text
	}
	return out
}

// expandAlias judges the text of an alias with the arguments after it: dash and
// bash --posix expand aliases in scripts.
func (w *walker) expandAlias(st *state, a arg, args []arg, in stream) {
	name := args[0].text
	w.calling = append(w.calling, "alias "+name)
	defer func() { w.calling = w.calling[:len(w.calling)-1] }()
	words := []string{a.text}
	for _, b := range args[1:] {
		words = append(words, quote(b.text))
	}
	code := a
	code.text, code.exact = strings.Join(words, " "), false
	w.code(st.clone(), "alias "+name, code, w.lang, in)
}

// quote makes one word of s for any shell.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

func quotedWords(words []string) string {
	out := make([]string, len(words))
	for i, word := range words {
		out[i] = quote(word)
	}
	return strings.Join(out, " ")
}
