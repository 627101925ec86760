package git

import (
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/program"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

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
func ownHome(w *shell.Walker, st *shell.State, args []effect.Arg, _ effect.Stream) {
	name := argv.Base(args[0].Text)
	if !slices.Contains([]string{"git", "ssh", "scp", "vim", "nvim", "bash", "zsh", "tmux", "emacs"}, name) {
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
