package guard

import (
	"slices"
	"strings"
)

var parallelSpec = newSpec(":::", "-j: -P: -a< -I: -n: -N: -S: -L: -d: -C: --jobs: --max-procs: --arg-file< --delay: --timeout: --results> --joblog> --colsep: --delimiter: --sshlogin: --retries: --halt: --memfree: --load: --tmpdir> --wd: --workdir: --env: --tagstring: --block:")

// parallel runs a command for each argument behind ":::"; without a command the
// arguments, or the lines of its input, are the commands.
func parallel(w *walker, st *state, args []arg, in stream) stream {
	values, rest := parallelSpec.leading(args[1:])
	w.touch(st, values, nil)
	defer w.enter("parallel", summary(args[1:]), args[0].span)()
	command, lists := rest, []arg(nil)
	if n := slices.IndexFunc(rest, func(a arg) bool { return strings.HasPrefix(a.text, ":::") }); n >= 0 {
		command, lists = rest[:n], rest[n+1:]
	}
	inputs := w.behindColons(st, rest[len(command):])
	if lists == nil {
		for _, line := range items(in, nil, "\n") {
			inputs = append(inputs, arg{text: line, index: args[0].index, span: args[0].span, from: in.from})
		}
	}
	for _, input := range inputs {
		if w.stopped {
			break
		}
		w.code(st.child(), "parallel", filled(command, input), w.lang, stream{})
	}
	return somewhere
}

// behindColons are the inputs behind ":::", and the lines of the files behind "::::".
func (w *walker) behindColons(st *state, words []arg) (inputs []arg) {
	files := false
	for _, a := range words {
		switch {
		case strings.HasPrefix(a.text, ":::"):
			files = strings.HasPrefix(a.text, "::::")
		case files:
			in, ok := w.pipes[a.text]
			if in = through(in); !ok {
				w.path(st, kindRead, a)
				if in, ok = w.content(st, a.text); !ok {
					in = stream{text: unknown, open: true}
				}
			}
			if in.open = true; !w.spend(1 + len(in.text)/16) { // :::: f f f …
				return inputs
			}
			for _, line := range items(in, nil, "\n") {
				inputs = append(inputs, arg{text: line, index: a.index, span: a.span, from: in.from})
			}
		default:
			inputs = append(inputs, a)
		}
	}
	return inputs
}

// filled puts an input in the place of {}, or at the end.
func filled(command []arg, input arg) arg {
	if len(command) == 0 {
		return input
	}
	code := joined(command)
	code.from = mixed(code.from, input.from...)
	code.exact = false
	if strings.Contains(code.text, "{") {
		for _, mark := range []string{"{}", "{.}", "{/}", "{//}", "{/.}", "{1}"} {
			code.text = replaced(code.text, mark, quote(input.text))
		}
		return code
	}
	code.text += " " + quote(input.text)
	return code
}
