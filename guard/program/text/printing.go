package text

import (
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
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
			if s, ok = w.Content(st, a.Text); !ok {
				s = effect.Stream{Text: effect.Unknown, Open: true}
			}
			out = effect.Then(out, s)
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
func patch(w *shell.Walker, st *shell.State, args []effect.Arg, in effect.Stream) effect.Stream {
	run.Operands(w, st, "patch", args[1:])
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
	return effect.Passed(in, "patch")
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
