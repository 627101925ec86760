package project

import (
	"cmp"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/lang"
	"github.com/pillion-sidecar/pillion/guard/program/run"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// gdbCommand is gdb -ex: shell, !, pipe, python, source.
func gdbCommand(w *shell.Walker, st *shell.State, construct string, a effect.Arg) {
	for line := range strings.SplitSeq(a.Text, "\n") {
		if !w.Spend(1) {
			return
		}
		b := a.Tail(line)
		if cmd, ok := strings.CutPrefix(b.Text, "!"); ok {
			run.ExShell(w, st, construct, b, cmd)
			continue
		}
		verb, rest, _ := strings.Cut(b.Text, " ")
		switch verb {
		case "shell", "she", "make":
			run.ExShell(w, st, construct, b, cmp.Or(rest, "sh"))
		case "pipe", "|":
			if _, cmd, ok := strings.Cut(rest, "|"); ok {
				run.ExShell(w, st, construct, b, cmd)
			}
		case "python", "py", "pi", "python-interactive", "script":
			lang.Foreign(w, st, &lang.Python, construct, b.Tail(rest), nil, effect.Stream{}, false)
		case "call", "print", "p", "compile", "eval": // call (int)system("id")
			if _, code, ok := strings.Cut(rest, "system("); ok {
				run.ExShell(w, st, construct, b, strings.Trim(code, `"\); `))
			}
		case "source", "file", "core-file", "restore":
			w.Path(st, effect.Read, b.Tail(rest))
		case "dump", "generate-core-file", "gcore": // dump value FILE EXPR
			if fields := strings.Fields(rest); len(fields) > 1 {
				w.Path(st, effect.Write, b.Tail(fields[1]))
			}
		case "platform":
			if cmd, ok := strings.CutPrefix(rest, "shell "); ok {
				run.ExShell(w, st, construct, b, cmd)
			}
		}
	}
}
