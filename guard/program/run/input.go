package run

import (
	"cmp"
	"slices"
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
	if kind == "" {
		return
	}
	first := true
	for _, a := range args {
		if !w.Spend(1) {
			return
		}
		if strings.HasPrefix(a.Text, "-") {
			continue
		}
		if !first || kind == "plus" || kind == "makevar" {
			Value(w, st, kind, name, a)
		}
		first = false
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
	if words := strings.Fields(condition); len(words) > 0 && !argv.AnyText(args, func(s string) bool {
		return slices.Contains(words, s)
	}) {
		return
	}
	a := effect.Arg{Text: in.Text}
	a.Index, a.Span = w.At.Index, w.At.Whole
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
	for _, f := range []string{"syscmd(", "include("} {
		for rest := a.Text; w.Spend(1); {
			i := strings.Index(rest, f)
			if i < 0 {
				break
			}
			body, end := Closing(rest, i+len(f)-1)
			body = strings.Trim(body, "`'")
			if f == "include(" {
				w.Path(st, effect.Read, a.Tail(body))
			} else {
				ExShell(w, st, construct, a, body)
			}
			rest = rest[end:]
		}
	}
}
