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
