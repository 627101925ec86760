package run

import (
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/program"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// HookOptions judges the options of a program that run other programs.
func HookOptions(w *shell.Walker, st *shell.State, name string, args []effect.Arg) {
	m := program.Of(name)
	if m == nil || m.Carrier == nil {
		return
	}
	h := m.Carrier
	if strings.HasSuffix(name, "tar") && len(args) > 0 && !strings.HasPrefix(args[0].Text, "-") {
		if !w.Spend(len(args[0].Text) / 16) {
			return
		}
		args = argv.Dashed(args)
	}
	for i := 0; i < len(args); i++ {
		a := args[i]
		if a.Text == "--" || w.Stopped {
			return
		}
		if len(a.Text) < 2 || a.Text[0] != '-' {
			if name == "ssh" || name == "watchexec" || name == "entr" || strings.HasSuffix(name, "trace") || name == "go" &&
				a.Text == "--" {
				return // what follows is the command
			}
			continue
		}
		option, kind, value, next := h.Read(a, args[i+1:])
		if next {
			i++
		}
		if kind != "" {
			Value(w, st, kind, name+" "+option, value)
		}
	}
}
