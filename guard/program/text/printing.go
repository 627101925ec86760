package text

import (
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/place"
	"github.com/pillion-sidecar/pillion/guard/program"
	"github.com/pillion-sidecar/pillion/guard/program/run"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// cat passes its input on, and prints files that the command itself has made.
func cat(w *shell.Walker, st *shell.State, args []effect.Arg, in effect.Stream) effect.Stream {
	run.Operands(w, st, "cat", args[1:])
	var out effect.Stream
	files := 0
	for _, a := range args[1:] {
		if len(a.Text) > 1 && a.Text[0] == '-' {
			continue
		}
		files++
		switch s, ok := w.Pipes[a.Text]; {
		case ok:
			out = effect.Then(out, effect.Through(s))
		case shell.Standard(a.Text):
			out = effect.Then(out, in)
		default:
			out = effect.Then(out, w.Held(st, a.Text))
		}
	}
	if files == 0 {
		out = in
		out.Text, out.File, out.Pos = in.Rest(), false, nil
	}
	return out
}

func tee(w *shell.Walker, st *shell.State, args []effect.Arg, in effect.Stream) effect.Stream {
	run.Operands(w, st, "tee", args[1:])
	add := false
	for _, a := range args[1:] {
		if add = add || argv.Cluster(a.Text, "a") || a.Text == "--append"; !strings.HasPrefix(a.Text, "-") {
			w.Keep(st, []effect.Arg{a}, in, add)
		}
	}
	return in
}

// patch puts the lines of a difference into files, as far as this command says which.
func patch(w *shell.Walker, st *shell.State, args []effect.Arg, in effect.Stream) {
	values, operands, _ := program.MustSpec("patch").Split(args[1:])
	diff := in.Text
	for _, o := range append(values, operands[min(1, len(operands)):]...) {
		if made, ok := w.Content(st, o.Text); ok && o.Role == argv.Read {
			diff, in = made.Text, made
		}
	}
	var files []effect.Arg
	if len(operands) > 0 {
		files = append(files, operands[0].Arg)
	}
	var put strings.Builder
	for line := range strings.Lines(diff) {
		if name, ok := strings.CutPrefix(line, "+++ "); ok {
			name, _, _ = strings.Cut(strings.TrimSpace(name), "\t")
			_, below, _ := strings.Cut(name, "/")
			files = append(files, args[0].Tail(name), args[0].Tail(below))
		} else if line, ok = strings.CutPrefix(line, "+"); ok {
			put.WriteString(line)
		}
	}
	if w.Change(st, files, put.String()); effect.Foreign(in.From) {
		w.Keep(st, files, effect.Stream{Text: effect.Unknown, From: in.From}, false)
	}
}

// ls prints the names that patterns stand for; what is in a directory is not known.
func ls(w *shell.Walker, st *shell.State, args []effect.Arg, _ effect.Stream) effect.Stream {
	run.Operands(w, st, "ls", args[1:])
	out := effect.Stream{Text: effect.Unknown, Open: true}
	var names strings.Builder
	for _, a := range args[1:] {
		switch glob := strings.LastIndexByte(a.Text, '*'); {
		case strings.HasPrefix(a.Text, "-") && !argv.Cluster(a.Text, "ldF"):
		case glob > strings.LastIndexByte(a.Text, '/') && glob+1 < len(a.Text):
			names.WriteString("./" + strings.ReplaceAll(a.Text, "*", effect.Unknown) + "\n")
		default:
			return out
		}
	}
	if names.Len() > 0 {
		out.Text = names.String()
	}
	return out
}

// search is grep and its kin. Of all variables it may pick ones that are not secret; the
// history it may search for passwords.
func search(w *shell.Walker, st *shell.State, args []effect.Arg, in effect.Stream) effect.Stream {
	name := argv.Base(args[0].Text)
	if h, ok := program.SpecOf(name); ok && len(in.From) > 0 {
		opts, operands := h.Options(args[1:])
		searchedFor(w, args[0], in, patterns(opts, operands), argv.Any(opts, "-v", "--invert-match"))
	}
	run.Operands(w, st, name, args[1:])
	out := effect.Passed(in, name)
	if _, operands, _ := program.MustSpec(name).Split(args[1:]); len(operands) > 0 &&
		place.SecretArg(strings.Trim(operands[0].Text, "^$\\/")) {
		out.From = effect.Mixed(out.From, effect.SecretNames)
	}
	return out
}

func patterns(opts []argv.Option, operands []effect.Arg) []string {
	var out []string
	for _, o := range opts {
		if argv.Named(o, "-e", "--regexp") {
			out = append(out, o.Value.Text)
		}
	}
	if len(out) == 0 && len(operands) > 0 {
		out = append(out, operands[0].Text)
	}
	return out
}

func searchedFor(w *shell.Walker, a effect.Arg, in effect.Stream, patterns []string, invert bool) {
	private := slices.ContainsFunc(patterns, hunts)
	if private && (slices.Contains(in.From, "history") || slices.Contains(in.From, "fc")) {
		w.EmitAt(a, effect.Effect{Kind: effect.Secret, Name: "history", Text: "history"})
	}
	if !private && !invert && !slices.ContainsFunc(patterns, vague) && len(patterns) > 0 &&
		effect.AnyOf(in.From, effect.Dumpers) {
		narrowed(w)
	}
}

// narrowed takes the last dump of all variables back: only harmless ones come
// through.
func narrowed(w *shell.Walker) {
	for i := len(w.Effects) - 1; i >= 0; i-- {
		if e := &w.Effects[i]; e.Kind == effect.Secret && e.Name == "environment" || e.Is(effect.PrintsAll) {
			e.Discreet = true
			return
		}
	}
}

// hunts reports a pattern that looks for credentials.
func hunts(pattern string) bool {
	return effect.Holds(strings.ToLower(pattern),
		"token secret passw pwd key cred auth aws api private session cookie jwt bearer login")
}

// vague reports a pattern that lets nearly everything through.
func vague(pattern string) bool {
	letters := strings.Trim(pattern, `^$.*+?=[]()|\-AZaz09_`)
	return len(letters) < 2 || strings.ContainsAny(pattern, effect.Unknown)
}

// cutNames is cut; -d= -f1 leaves only the names of variables.
func cutNames(w *shell.Walker, st *shell.State, args []effect.Arg, in effect.Stream) effect.Stream {
	run.Operands(w, st, "cut", args[1:])
	opts, _ := program.MustSpec("cut").Options(args[1:])
	has := func(name, value string) bool {
		return slices.ContainsFunc(opts, func(o argv.Option) bool { return o.Name == name && o.Value.Text == value })
	}
	if has("-d", "=") && has("-f", "1") && effect.AnyOf(in.From, effect.Dumpers) {
		narrowed(w)
		return effect.Printed(effect.Unknown)
	}
	return effect.Passed(in, "cut")
}

// pack is zip, whose -x takes names up to the end.
func pack(w *shell.Walker, st *shell.State, args []effect.Arg, in effect.Stream) effect.Stream {
	kept := args[1:]
	if i := slices.IndexFunc(kept, func(a effect.Arg) bool { return a.Text == "-x" || a.Text == "--exclude" }); i >= 0 {
		kept = kept[:i]
	}
	run.Operands(w, st, "zip", kept)
	return effect.Passed(in, "zip")
}
