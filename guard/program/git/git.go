// Package git knows git: its options, settings and hooks that run programs, and what
// of its work is lost; of other version controls only the last.
package git

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

// Family is git, and what other version controls lose.
func Family() run.Family {
	return run.Family{
		Does:   map[string]shell.Handler{"git hub": git},
		Kinds:  gitKinds,
		Ruled:  settingsText,
		Before: []run.Look{ownHome},
		Means: []run.Meaning{
			{Word: "git/repoint", When: repoints},
			{Word: "git/discard", When: overwrites},
			{Word: "git/force-push", When: pushes('+')},
			{Word: "git/delete-remote", When: pushes(':')},
		},
	}
}

// repoints reports a push to where this command has pointed the repository just now.
func repoints(w *shell.Walker, e *effect.Effect) bool {
	g, ok := gitOf(e)
	if !ok {
		return false
	}
	if key := strings.ToLower(g.operand(0)); g.name == "config" && len(g.operands) > 1 &&
		strings.HasPrefix(key, "url.") && strings.HasSuffix(key, "insteadof") {
		return place.HostOf(strings.TrimPrefix(key, "url.")) != place.HostOf(g.operand(1)) && place.HostOf(g.operand(1)) != ""
	}
	if g.name != "push" || g.has("-n", "--dry-run") {
		return false
	}
	return slices.ContainsFunc(w.Effects, func(before effect.Effect) bool {
		b, ok := gitOf(&before)
		return ok && (b.name == "remote" && (b.operand(0) == "set-url" || b.operand(0) == "add") || b.name == "config" &&
			len(b.operands) > 1 && strings.HasPrefix(b.operand(0), "remote."))
	})
}

// overwrites is a checkout of many files. Before "--" a word without a dot is a
// branch; after it, everything is a path.
func overwrites(_ *shell.Walker, e *effect.Effect) bool {
	g, ok := gitOf(e)
	if !ok || g.name != "checkout" || g.has("-b", "-B", "--orphan", "-p", "--patch", "--theirs", "--ours", "-t",
		"--track") {
		return false
	}
	if dashes := slices.IndexFunc(e.Args, func(a effect.Arg) bool { return a.Text == "--" }); dashes >= 0 {
		return argv.AnyText(e.Args[dashes+1:], program.Broad)
	}
	return argv.AnyText(g.operands, func(s string) bool {
		whole := slices.Contains([]string{".", "./", ":/", "*"}, s)
		return whole || strings.HasPrefix(s, "*.") || len(g.operands) > 1 && strings.HasSuffix(s, "/")
	})
}

// pushes are what the refspecs of a push say: "+" forces, and nothing before ":"
// deletes.
func pushes(sign byte) func(*shell.Walker, *effect.Effect) bool {
	return func(_ *shell.Walker, e *effect.Effect) bool {
		g, ok := gitOf(e)
		return ok && g.name == "push" && !g.has("-n", "--dry-run") &&
			argv.AnyText(g.operands, func(s string) bool { return len(s) > 1 && s[0] == sign })
	}
}

// gitText is the options of subcommands whose values are text, or files.
var gitText = argv.New("???", `-m: -F< --message: --file< --author: --date: -c: -C: --grep: -S: -G: --format: --pretty:
	--since: --until: -n: -b: -B: -u: -t: --sort: --trailer: --output> -o> -L: --upload-pack: --receive-pack: --exec:
	--template: --extcmd: --depth: --branch: --jobs: -j: --filter: --origin: --shallow-since:`)

func git(w *shell.Walker, st *shell.State, args []effect.Arg, _ effect.Stream) effect.Stream {
	global := program.Of("git").Global
	values, rest := global.Leading(args[1:])
	st = run.Chdirs(w, st, values)
	run.Touch(w, st, values, nil)
	opts, _ := global.UpToOperand(args[1:])
	aliases := gitGlobals(w, st, opts)
	if len(rest) == 0 {
		return effect.Somewhere
	}
	if code, ok := aliases[rest[0].Text]; ok && !strings.HasPrefix(code.Text, "!") && w.Deeper() {
		w.Run(st.Clone(), append([]effect.Arg{code.Tail("git")}, run.Words(code)...), effect.Stream{})
		w.Back()
	}
	gitHooks(w, st, rest)
	switch rest[0].Text {
	case "tag", "branch", "config":
		return effect.Somewhere
	case "grep":
		gitGrepFiles(w, st, rest[1:])
		return effect.Somewhere
	case "rev-parse":
		if f := w.Facts.Folders(); len(f) == 1 && len(rest) == 2 && rest[1].Text == "--show-toplevel" {
			return effect.Printed(f[0] + "\n")
		}
		return effect.Somewhere
	case "bisect", "submodule", "rebase", "filter-branch", "difftool":
		if gitRuns(rest) {
			return effect.Somewhere // the operands are a command
		}
	}
	gitOperands(w, st, rest)
	return effect.Stream{Text: effect.Unknown, Open: true, From: []string{"git"}}
}

func gitRuns(rest []effect.Arg) bool {
	return len(rest) > 1 && (rest[0].Text == "bisect" && rest[1].Text == "run" || rest[0].Text == "filter-branch") ||
		rest[0].Text == "submodule" && slices.ContainsFunc(rest, func(a effect.Arg) bool { return a.Text == "foreach" })
}

func gitGrepFiles(w *shell.Walker, st *shell.State, args []effect.Arg) {
	for i, a := range args {
		if a.Text == "--no-index" {
			for _, b := range args[i+1:] {
				if place.PathLike(b.Text) {
					w.Path(st, effect.Read, b)
				}
			}
		}
	}
}

func gitOperands(w *shell.Walker, st *shell.State, rest []effect.Arg) {
	values, operands, bare := gitText.Split(rest[1:])
	for i := range values {
		if values[i].Role == argv.Guess { // --grep=…, --format=…: text, whatever it looks like
			values[i].Role = argv.None
		}
	}
	run.Touch(w, st, values, bare)
	if n := len(operands); n > 0 && (rest[0].Text == "clone" || rest[0].Text == "init" || rest[0].Text == "worktree") {
		if o := operands[n-1]; !strings.Contains(o.Text, ":") {
			operands[n-1].Role = argv.Write
		}
	}
	moves := effect.Among(rest[0].Text, "rm mv") && !argv.Given(rest, "--cached", "-n", "--dry-run")
	for i, o := range operands {
		if rest[0].Text == "hash-object" {
			operands[i].Role = argv.Read
		} else if moves && w.Obeyed(w.Locate(st, o.Text).Path) {
			operands[i].Role = argv.Write
		}
	}
	run.Touch(w, st, operands, bare)
}

// gitCommand is one git command taken apart.
type gitCommand struct {
	name     string
	opts     []argv.Option
	operands []effect.Arg
}

// gitOf takes a git command apart; ok is false for other programs, and for help.
func gitOf(e *effect.Effect) (g gitCommand, ok bool) {
	if !e.Runs("git", "hub") { // hub hands on to git what it does not know
		return g, false
	}
	opts, words := program.Of("git").Command(e.Args)
	if len(words) == 0 || argv.Any(opts, "--help") {
		return g, false
	}
	return gitCommand{words[0].Text, opts, words[1:]}, true
}

// Verb is git's subcommand.
func Verb(e *effect.Effect) string {
	g, _ := gitOf(e)
	return g.name
}

// has reports an option of the subcommand.
func (g *gitCommand) has(names ...string) bool { return argv.Any(g.opts, names...) }

// operand is the text of the operand at i, or "".
func (g *gitCommand) operand(i int) string {
	if i < len(g.operands) {
		return g.operands[i].Text
	}
	return ""
}

// ownHome reports a home made up for one command: git and ssh take programs from
// the settings they find there.
func ownHome(w *shell.Walker, st *shell.State, p effect.Arg, _ []effect.Arg, _ effect.Stream) {
	if !slices.Contains([]string{"git", "ssh", "scp", "vim", "nvim", "bash", "zsh", "tmux", "emacs"}, p.Text) {
		return
	}
	for _, v := range []string{"HOME", "XDG_CONFIG_HOME"} {
		b, ok := st.Vars[v]
		if !ok || len(b) != 1 || b[0].Str == "" || strings.Contains(b[0].Str, effect.Unknown) {
			continue
		}
		p := w.Locate(st, b[0].Str)
		if !p.Unknown && w.InRoots(p.Path) && !w.InFolders(p.Path) && !slices.Contains(w.Roots, p.Path) {
			w.Emit(effect.Effect{Kind: effect.Hook, Name: v, Text: v + "=" + b[0].Str, Span: w.At.Whole, Inside: true})
		}
	}
}
