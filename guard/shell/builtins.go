package shell

import (
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
)

// set sets options, and $1… from what follows them.
func set(_ *Walker, st *State, args []effect.Arg) {
	for i := 1; i < len(args); i++ {
		text := args[i].Text
		switch {
		case text == "--" || text == "-":
			if text == "--" || i+1 < len(args) {
				st.positional(args[i+1:])
			}
			return
		case text == "+":
		case len(text) > 1 && (text[0] == '-' || text[0] == '+'):
			if strings.Trim(text[1:], "abefmnouvxCE") != "" {
				st.params, st.loose = nil, true // an error to some shells, after which nothing is set
				return
			}
			option := ""
			if strings.HasSuffix(text, "o") && i+1 < len(args) {
				i++
				option = args[i].Text
			}
			on := text[0] == '-'
			if strings.Contains(text, "e") || option == "errexit" {
				st.errexit = on
			}
			if strings.Contains(text, "a") || option == "allexport" {
				st.allexport = on
			}
		default:
			st.positional(args[i:])
			return
		}
	}
}

func shift(_ *Walker, st *State, args []effect.Arg) {
	n := 1
	if len(args) > 1 {
		var err error
		if n, err = strconv.Atoi(args[1].Text); err != nil || n < 0 {
			st.params, st.loose = nil, true
			return
		}
	}
	st.shift(n)
}

// shift drops the first n parameters. Where some may be none or many, what was dropped is
// not known: after them n fewer words are left for sure.
func (s *State) shift(n int) {
	known := min(n, s.sure)
	if s.sure == len(s.params) && n > known {
		return // too many: the shell refuses
	}
	rest := s.params[known:]
	s.sure -= known
	if n -= known; n == 0 {
		s.params = rest
		return
	}
	for i, text := range rest {
		if n == 0 {
			s.params = append([]string{effect.Unknown}, rest[i:]...)
			return
		}
		if !uncounted(text) {
			n--
		}
	}
	s.params, s.loose = nil, true
}

func unset(w *Walker, st *State, args []effect.Arg) {
	for _, a := range args[1:] {
		if strings.HasPrefix(a.Text, "-") {
			continue
		}
		w.subscript(st, "unset", a)
		st.set(a.Text, Binding{{}})
		delete(st.funcs, a.Text)
	}
}

// export and its kin as plain commands (POSIX): name=value words.
func export(w *Walker, st *State, args []effect.Arg) {
	for _, a := range args[1:] {
		if name, value, ok := strings.Cut(a.Text, "="); ok {
			w.assignMaybe(st, args[0].Text, name, Constant(value), a.From)
			st.Export(name)
			w.EmitAt(a, effect.Effect{Kind: effect.Env, Name: name, Text: value})
		} else if f, ok := st.funcs[a.Text]; ok {
			f.exported = true
			st.funcs[a.Text] = f
		} else if !strings.HasPrefix(a.Text, "-") {
			st.Export(a.Text)
		}
	}
}

// assignMaybe is an assignment by a builtin that not every sh has: where dash
// runs "declare d=build; rm -rf $d/x", d is what it was.
func (w *Walker) assignMaybe(st *State, builtin, name string, b Binding, from []string) {
	if w.Lang == syntax.LangPOSIX && slices.Contains([]string{"declare", "typeset", "mapfile", "readarray", "printf"},
		builtin) {
		b, from = union(w.lookup(st, name), b), effect.Mixed(st.Stains(name), from...)
	}
	st.Assign(name, b, from)
}

func pwd(_ *Walker, st *State, _ []effect.Arg, _ effect.Stream) effect.Stream {
	if len(st.Cwds) > 1 {
		return effect.Printed(effect.Unknown)
	}
	return effect.Printed(st.Cwds[0] + "\n")
}

func which(w *Walker, _ *State, args []effect.Arg, _ effect.Stream) effect.Stream {
	name := args[len(args)-1].Text
	if !strings.Contains(name, "/") && w.Programs.Known(name) {
		name = "/usr/bin/" + name // or another directory of programs
	}
	return effect.Printed(name + "\n")
}

// trap remembers code for the end of the shell: by then the variables it names
// are set, as in `trap 'rm -rf "$T"' EXIT; T=$(mktemp -d)`.
func trap(w *Walker, st *State, args []effect.Arg) {
	rest := args[1:]
	for len(rest) > 0 && strings.HasPrefix(rest[0].Text, "-") && len(rest[0].Text) > 1 {
		rest = rest[1:]
	}
	if len(rest) >= 2 && rest[0].Text != "" && rest[0].Text != "-" && w.Spend(1) {
		if len(st.traps) >= 64 { // more than there are signals
			w.exit(st)
		}
		st.traps = append(slices.Clip(st.traps), trapped{rest[0], w.At})
	}
}

// exit runs what was left for the end of a shell.
func (w *Walker) exit(st *State) {
	traps := st.traps
	st.traps = nil
	defer w.Stand(w.At)()
	for _, t := range traps {
		w.At = t.at
		w.Code(st.Clone(), "trap", t.code, w.Lang, effect.Somewhere)
	}
}

// Deeper counts a level of nesting; back takes it off again.
func (w *Walker) Deeper() bool {
	if w.nested++; w.nested > 2*maxNested {
		w.nested--
		w.Stop(effect.ProblemDepth)
		return false
	}
	return true
}

// command and builtin run what follows past functions and aliases; with -v
// command only looks.
func command(w *Walker, st *State, args []effect.Arg, in effect.Stream) effect.Stream {
	rest := args[1:]
	for len(rest) > 0 && strings.HasPrefix(rest[0].Text, "-") && len(rest[0].Text) > 1 {
		if strings.ContainsAny(rest[0].Text, "vV") {
			return which(w, st, args, in)
		}
		rest = rest[1:]
	}
	return w.beyond(st, "command", args[0], rest, in)
}

func execute(w *Walker, st *State, args []effect.Arg, in effect.Stream) effect.Stream {
	rest := args[1:]
	for len(rest) > 0 && strings.HasPrefix(rest[0].Text, "-") && len(rest[0].Text) > 1 {
		if strings.HasSuffix(rest[0].Text, "a") {
			rest = rest[min(1, len(rest)):]
		}
		rest = rest[min(1, len(rest)):]
	}
	return w.beyond(st, "exec", args[0], rest, in)
}

// beyond is exec with the construct that led to it on the chain.
func (w *Walker) beyond(st *State, construct string, a effect.Arg, rest []effect.Arg, in effect.Stream) effect.Stream {
	if len(rest) == 0 || !w.Deeper() {
		return effect.Stream{}
	}
	defer w.Back()
	defer w.Enter(construct, "", a.Span)()
	return w.Exec(st, rest, in)
}

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
	s.stain("@", effect.Origins(args))
}

// expandAlias judges the text of an alias with the arguments after it: dash and
// bash --posix expand aliases in scripts.
func (w *Walker) expandAlias(st *State, a effect.Arg, args []effect.Arg, in effect.Stream) {
	name := args[0].Text
	defer w.During("alias " + name)()
	words := []string{a.Text}
	next := strings.HasSuffix(a.Text, " ") // then the word after it may be an alias, too
	for _, b := range args[1:] {
		more, ok := st.aliases[b.Text]
		if next = next && ok; next {
			words = append(words, more.Text)
			next = strings.HasSuffix(more.Text, " ")
			continue
		}
		words = append(words, argv.Quote(b.Text))
	}
	code := effect.Renamed(a, strings.Join(words, " "))
	w.Code(st.Clone(), "alias "+name, code, w.Lang, in)
}
