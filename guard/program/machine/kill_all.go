package machine

import (
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// killed is the processes that kill is told to stop, without its signal; ok is
// false where it only asks.
func killed(e *effect.Effect) (targets []effect.Arg, ok bool) {
	for i := 0; i < len(e.Args); i++ {
		switch a := e.Args[i]; {
		case a.Text == "-0", a.Text == "-l", a.Text == "-L", a.Text == "--list", a.Text == "--help":
			return nil, false
		case a.Text == "-s" || a.Text == "-n" || a.Text == "--signal":
			if i++; i < len(e.Args) && e.Args[i].Text == "0" {
				return nil, false
			}
		case a.Text == "--":
			return append(targets, e.Args[i+1:]...), true
		case i == 0 && strings.HasPrefix(a.Text, "-") && len(e.Args) > 1: // a signal
		default:
			targets = append(targets, a)
		}
	}
	return targets, true
}

func killsAll(w *shell.Walker, e *effect.Effect) bool {
	if e.Kind != effect.Exec {
		return false
	}
	switch e.Name {
	case "kill":
		targets, ok := killed(e)
		// A glob is every number in /proc.
		return ok && slices.ContainsFunc(targets, func(a effect.Arg) bool {
			return a.Text == "-1" || a.Text == "1" || !strings.HasPrefix(a.Text, "%") && strings.ContainsAny(a.Text, "*[?")
		})
	case "pkill":
		return slices.ContainsFunc(childrenOf(e), func(a effect.Arg) bool { return a.Text == "1" })
	}
	return false
}

// childrenOf is the parents whose children pkill stops.
func childrenOf(e *effect.Effect) []effect.Arg { return argv.Values(e.Args, "-P", "--parent") }

func killsParent(_ *shell.Walker, e *effect.Effect) bool {
	var targets []effect.Arg
	switch {
	case e.Runs("kill"):
		targets, _ = killed(e)
	case e.Runs("pkill"):
		targets = childrenOf(e)
	}
	return slices.ContainsFunc(targets, func(a effect.Arg) bool { return slices.Contains(a.From, effect.ParentProcess) })
}
