package guard

import (
	"slices"
	"strings"
)

// parentProcess, in the programs a text came from, says that the text is the
// number of the process that started this shell.
const parentProcess = "parent process"

// killed is the processes that kill is told to stop, without its signal; ok is
// false where it only asks.
func killed(e *effect) (targets []arg, ok bool) {
	for i := 0; i < len(e.args); i++ {
		switch a := e.args[i]; {
		case a.text == "-0", a.text == "-l", a.text == "-L", a.text == "--list", a.text == "--help":
			return nil, false
		case a.text == "-s" || a.text == "-n" || a.text == "--signal":
			if i++; i < len(e.args) && e.args[i].text == "0" {
				return nil, false
			}
		case a.text == "--":
			return append(targets, e.args[i+1:]...), true
		case i == 0 && strings.HasPrefix(a.text, "-") && len(e.args) > 1: // a signal
		default:
			targets = append(targets, a)
		}
	}
	return targets, true
}

func killsAll(w *walker, e *effect) bool {
	if e.kind != kindExec {
		return false
	}
	switch e.name {
	case "killall5":
		return true
	case "kill":
		targets, ok := killed(e)
		return ok && slices.ContainsFunc(targets, func(a arg) bool {
			return a.text == "-1" || a.text == "1" || !strings.HasPrefix(a.text, "%") && strings.ContainsAny(a.text, "*[?") // every number in /proc
		})
	case "fuser":
		return fuserKills(w, e)
	case "pkill":
		return slices.ContainsFunc(childrenOf(e), func(a arg) bool { return a.text == "1" })
	case "wmic":
		return anyFold(e.args, "process") && anyFold(e.args, "delete", "terminate") && !anyFold(e.args, "where")
	}
	return false
}

// fuserKills is fuser -k with -m or -M: everything that uses a whole file system.
func fuserKills(_ *walker, e *effect) bool {
	opts, _ := newSpec(":::", "-n: --namespace:").options(e.args)
	return anyOption(opts, "-k", "--kill") && anyOption(opts, "-m", "-c", "--mount")
}

// childrenOf is the parents whose children pkill stops.
func childrenOf(e *effect) []arg { return valuesOf(e.args, "-P", "--parent") }

func killsParent(_ *walker, e *effect) bool {
	var targets []arg
	switch {
	case e.runs("kill"):
		targets, _ = killed(e)
	case e.runs("pkill"):
		targets = childrenOf(e)
	}
	return slices.ContainsFunc(targets, func(a arg) bool { return slices.Contains(a.from, parentProcess) })
}
