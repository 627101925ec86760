package guard

import "strings"

var gitGlobal = newSpec(":::", "-C@ -c: --git-dir< --work-tree@ --namespace: --exec-path: --super-prefix: --config-env:")

// gitText is the options of subcommands whose values are text, or files.
var gitText = newSpec("???", "-m: -F< --message: --file< --author: --date: -c: -C: --grep: -S: -G: --format: --pretty: --since: --until: -n: -b: -B: -u: -t: --sort: --trailer: --output> -o> -L:")

func git(w *walker, st *state, args []arg, _ stream) stream {
	values, rest := gitGlobal.leading(args[1:])
	st = w.chdirs(st, values)
	w.touch(st, values, nil)
	if len(rest) == 0 {
		return somewhere
	}
	switch rest[0].text {
	case "grep", "config", "tag", "branch":
		return somewhere
	case "rev-parse":
		if f := w.facts.Folders(); len(f) == 1 && len(rest) == 2 && rest[1].text == "--show-toplevel" {
			return printed(f[0] + "\n")
		}
		return somewhere
	}
	values, operands, bare := gitText.split(rest[1:])
	for i := range values {
		if values[i].role == guess { // --grep=…, --format=…: text, whatever it looks like
			values[i].role = none
		}
	}
	w.touch(st, values, bare)
	if n := len(operands); n > 0 && (rest[0].text == "clone" || rest[0].text == "init" || rest[0].text == "worktree") {
		if o := operands[n-1]; !strings.Contains(o.text, ":") {
			operands[n-1].role = write
		}
	}
	w.touch(st, operands, bare)
	return stream{text: unknown, open: true, from: []string{"git"}}
}
