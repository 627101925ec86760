package machine

import (
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/place"
	"github.com/pillion-sidecar/pillion/guard/program"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// killsByName is what no phrase can say: the numbers came from a search by name, or are
// none.
func killsByName(_ *shell.Walker, e *effect.Effect) bool {
	switch e.Name {
	case "kill":
		return slices.ContainsFunc(e.Args, func(a effect.Arg) bool {
			return effect.AnyOf(a.From, []string{"pgrep", "pidof", "ps"})
		}) &&
			!argv.Given(e.Args, "-0")
	case "tskill":
		return argv.AnyText(e.Args, func(s string) bool {
			return !strings.HasPrefix(s, "/") && strings.Trim(s, "0123456789") != ""
		})
	case "stop-process":
		return !argv.AnyFold(e.Args, "-id") && argv.AnyText(e.Args, func(s string) bool {
			return !strings.HasPrefix(s, "-") && !strings.Contains(s, effect.Unknown) && strings.Trim(s, "0123456789") != ""
		})
	}
	return false
}

// attacks is such a tool, also one that was built here, or nmap looking at another
// machine.
func attacks(_ *shell.Walker, e *effect.Effect) bool {
	if e.Name != "nmap" {
		return program.Means(e, "system/attack-tool")
	}
	_, operands := program.BareSpec.Options(e.Args)
	return len(operands) > 0 && !place.LocalHost(operands[len(operands)-1].Text) && !program.Helps(e)
}

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
