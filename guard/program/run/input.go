package run

import (
	"cmp"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/program"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// hookOperands judges operands that are commands of the program's own language:
// vim +…, sqlite3 db '.shell x', make SHELL=x.
func hookOperands(w *shell.Walker, st *shell.State, name string, args []effect.Arg) {
	kind := program.Said(name, "operand")
	all := kind == "plus" || kind == "makevar"
	for _, a := range args {
		if kind == "" || !w.Spend(1) {
			return
		}
		if !strings.HasPrefix(a.Text, "-") {
			if all {
				Value(w, st, kind, name, a)
			}
			all = true
		}
	}
}

// HookInput judges commands of the program's own language on its standard input.
func HookInput(w *shell.Walker, st *shell.State, name string, args []effect.Arg, in effect.Stream) {
	if !in.Open || in.File || in.Text == "" {
		return
	}
	kind, condition, _ := strings.Cut(program.Said(name, "input"), " if ")
	if kind == "" {
		return
	}
	if words := strings.Fields(condition); len(words) > 0 && !argv.Has(args, words...) {
		return
	}
	a := w.Here(in.Text)
	if in.Text == effect.Unknown {
		if effect.Fetched(in.From) {
			w.EmitAt(a, effect.Effect{Kind: effect.Code, Name: name, Text: name + " < …", From: in.From})
		}
		return
	}
	Value(w, st, kind, name+" < …", a)
}

// bangLines are lines whose "!" runs the rest.
func bangLines(w *shell.Walker, st *shell.State, construct string, a effect.Arg) {
	for line := range strings.SplitSeq(a.Text, "\n") {
		if cmd, ok := strings.CutPrefix(strings.TrimSpace(line), "!"); ok && w.Spend(1) {
			ExShell(w, st, construct, a, cmp.Or(cmd, "sh"))
		}
	}
}

// m4 is syscmd(…) and include(…).
func m4(w *shell.Walker, st *shell.State, construct string, a effect.Arg) {
	for body := range Bracketed(w, a.Text, "syscmd(") {
		ExShell(w, st, construct, a, strings.Trim(body, "`'"))
	}
	for body := range Bracketed(w, a.Text, "include(") {
		w.Path(st, effect.Read, a.Tail(strings.Trim(body, "`'")))
	}
}
