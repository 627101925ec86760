package guard

import (
	"slices"
	"strings"
)

var gitGlobal = newSpec(":::", "-C@ -c: --git-dir< --work-tree@ --namespace: --exec-path: --super-prefix: --config-env: --attr-source:")

// gitText is the options of subcommands whose values are text, or files.
var gitText = newSpec("???", "-m: -F< --message: --file< --author: --date: -c: -C: --grep: -S: -G: --format: --pretty: --since: --until: -n: -b: -B: -u: -t: --sort: --trailer: --output> -o> -L: --upload-pack: --receive-pack: --exec: --template: --extcmd: --depth: --branch: --jobs: -j: --filter: --origin: --shallow-since:")

func git(w *walker, st *state, args []arg, _ stream) stream {
	values, rest := gitGlobal.leading(args[1:])
	st = w.chdirs(st, values)
	w.touch(st, values, nil)
	aliases := w.gitGlobals(st, args[1:len(args)-len(rest)])
	if len(rest) == 0 {
		return somewhere
	}
	if code, ok := aliases[rest[0].text]; ok {
		w.gitAlias(st, code)
	}
	w.gitHooks(st, rest)
	switch rest[0].text {
	case "tag", "branch", "config":
		return somewhere
	case "grep":
		w.gitGrepFiles(st, rest[1:])
		return somewhere
	case "rev-parse":
		if f := w.facts.Folders(); len(f) == 1 && len(rest) == 2 && rest[1].text == "--show-toplevel" {
			return printed(f[0] + "\n")
		}
		return somewhere
	case "bisect", "submodule", "rebase", "filter-branch", "difftool":
		if gitRuns(rest) {
			return somewhere // the operands are a command
		}
	}
	w.gitOperands(st, rest)
	return stream{text: unknown, open: true, from: []string{"git"}}
}

func gitRuns(rest []arg) bool {
	return len(rest) > 1 && (rest[0].text == "bisect" && rest[1].text == "run" || rest[0].text == "filter-branch") ||
		rest[0].text == "submodule" && slices.ContainsFunc(rest, func(a arg) bool { return a.text == "foreach" })
}

func (w *walker) gitGrepFiles(st *state, args []arg) {
	for i, a := range args {
		if a.text == "--no-index" {
			for _, b := range args[i+1:] {
				if pathLike(b.text) {
					w.path(st, kindRead, b)
				}
			}
		}
	}
}

func (w *walker) gitOperands(st *state, rest []arg) {
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
	if rest[0].text == "hash-object" {
		for i := range operands {
			operands[i].role = read
		}
	}
	w.touch(st, operands, bare)
}
