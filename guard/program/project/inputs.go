package project

import (
	"slices"
	"sync"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/program/run"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// scriptFiles are how programs read a file of their own commands: the kind of code in
// it, and the options that name one; without them, any operand does.
var scriptFiles = sync.OnceValue(func() map[string][]string { return argv.Lists(namesText, "reads") })

// madeScript judges the files of such commands that this command wrote.
func madeScript(w *shell.Walker, st *shell.State, name string, args []effect.Arg) {
	r := scriptFiles()[name]
	if r == nil {
		return
	}
	for i, a := range args {
		if len(r) > 1 && (i == 0 || !slices.Contains(r[1:], args[i-1].Text)) {
			continue
		}
		for _, s := range w.Contents(st, a.Text) {
			if w.Spend(1) {
				run.Value(w, st, r[0], name+" "+a.Text, a.Tail(s.Text))
			}
		}
	}
}
