package files

import (
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/program"
	"github.com/pillion-sidecar/pillion/guard/program/run"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// parallel runs a command for each argument after ":::"; without a command the arguments,
// or the lines of its input, are the commands.
func parallel(w *shell.Walker, st *shell.State, args []effect.Arg, in effect.Stream) effect.Stream {
	values, rest := program.Options("parallel").Leading(args[1:])
	run.Touch(w, st, values, nil)
	defer w.Enter("parallel", argv.Summary(args[1:]), args[0].Span)()
	command, lists := rest, []effect.Arg(nil)
	if n := slices.IndexFunc(rest, func(a effect.Arg) bool { return strings.HasPrefix(a.Text, ":::") }); n >= 0 {
		command, lists = rest[:n], rest[n+1:]
	}
	inputs := behindColons(w, st, rest[len(command):])
	if lists == nil {
		for _, line := range items(in, nil, "\n") {
			inputs = append(inputs, effect.Arg{Text: line, Index: args[0].Index, Span: args[0].Span, From: in.From})
		}
	}
	for _, input := range inputs {
		if w.Stopped {
			break
		}
		w.Code(st.Child(), "parallel", filled(command, input), w.Lang, effect.Stream{})
	}
	return effect.Somewhere
}

// behindColons are the inputs after ":::", and the lines of the files after "::::".
func behindColons(w *shell.Walker, st *shell.State, words []effect.Arg) (inputs []effect.Arg) {
	files := false
	for _, a := range words {
		switch {
		case strings.HasPrefix(a.Text, ":::"):
			files = strings.HasPrefix(a.Text, "::::")
		case files:
			in, ok := w.Pipes[a.Text]
			if in = effect.Through(in); !ok {
				w.Path(st, effect.Read, a)
				if in, ok = w.Content(st, a.Text); !ok {
					in = effect.Stream{Text: effect.Unknown, Open: true}
				}
			}
			if in.Open = true; !w.Spend(1 + len(in.Text)/16) { // :::: f f f …
				return inputs
			}
			for _, line := range items(in, nil, "\n") {
				inputs = append(inputs, effect.Arg{Text: line, Index: a.Index, Span: a.Span, From: in.From})
			}
		default:
			inputs = append(inputs, a)
		}
	}
	return inputs
}

// filled puts an input in the place of {}, or at the end.
func filled(command []effect.Arg, input effect.Arg) effect.Arg {
	if len(command) == 0 {
		return input
	}
	code := effect.Joined(command)
	code.From = effect.Mixed(code.From, input.From...)
	code.Exact = false
	if strings.Contains(code.Text, "{") {
		for _, mark := range []string{"{}", "{.}", "{/}", "{//}", "{/.}", "{1}"} {
			code.Text = replaced(code.Text, mark, argv.Quote(input.Text))
		}
		return code
	}
	code.Text += " " + argv.Quote(input.Text)
	return code
}
