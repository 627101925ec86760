package git

import (
	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/program"
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
