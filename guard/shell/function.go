package shell

import (
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
)

func alias(w *Walker, st *State, args []effect.Arg) {
	for _, a := range args[1:] {
		if name, text, ok := strings.Cut(a.Text, "="); ok {
			a.Text, a.Exact = text, false
			st.alias(name, a)
		}
	}
}

// hash -p makes the shell take a file for a program: `hash -p ./evil ls`.
func hash(w *Walker, st *State, args []effect.Arg) {
	files := argv.Values(args[1:], "-p")
	if len(files) == 0 {
		return
	}
	file := files[0]
	if p := w.Locate(st, file.Text); !p.Unknown && !w.InFolders(p.Path) && !w.Trusted(file.Text, p.Path) {
		w.EmitAt(file, effect.Effect{Kind: effect.Hook, Name: "hash -p", Text: "hash -p " + file.Text})
	}
	file.Text, file.Exact = argv.Quote(file.Text), false
	st.alias(args[len(args)-1].Text, file)
}

// enable -f loads a shared library into the shell itself.
func enable(w *Walker, st *State, args []effect.Arg) {
	for _, file := range argv.Values(args[1:], "-f") {
		w.Path(st, effect.Read, file)
		w.EmitAt(file, effect.Effect{Kind: effect.Code, Name: "library", Text: file.Text})
	}
}

// invoke walks a function's body with its arguments.
func (w *Walker) invoke(st *State, f function, args []effect.Arg, in effect.Stream) effect.Stream {
	name := args[0].Text
	deep := 0
	for _, c := range w.calling {
		if c == name {
			deep++
		}
	}
	if deep > 1 { // its second round knew all that a third would
		return effect.Somewhere
	}
	defer w.Enter("function "+name, "", args[0].Span)()
	defer w.Stand(f.at)()
	defer w.During(name)()
	params, sure, loose, taint := st.params, st.sure, st.loose, st.taint["@"]
	st.positional(args[1:])
	defer func() {
		st.params, st.sure, st.loose = params, sure, loose
		st.stain("@", taint)
	}()
	defer w.leavable(st)()
	return w.stmt(st, f.body, in)
}

// positional sets $1… . After a word that may be none, or many, the place of another is
// not known: after "set -- $u src /etc", $2 may be either.
func (s *State) positional(args []effect.Arg) {
	s.params, s.loose = effect.Texts(args), false
	if s.sure = slices.IndexFunc(args, func(a effect.Arg) bool { return a.Many }); s.sure < 0 {
		s.sure = len(args)
	}
	var from []string
	for _, a := range args {
		from = effect.Mixed(from, a.From...)
	}
	s.stain("@", from)
}

// expandAlias judges the text of an alias with the arguments after it: dash and
// bash --posix expand aliases in scripts.
func (w *Walker) expandAlias(st *State, a effect.Arg, args []effect.Arg, in effect.Stream) {
	name := args[0].Text
	defer w.During("alias " + name)()
	words := []string{a.Text}
	for _, b := range args[1:] {
		words = append(words, argv.Quote(b.Text))
	}
	code := effect.Renamed(a, strings.Join(words, " "))
	w.Code(st.Clone(), "alias "+name, code, w.Lang, in)
}
