package files

import (
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/program/run"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// mkfifo makes queues: what one command writes to them another reads, whichever
// comes first in the text.
func mkfifo(w *shell.Walker, st *shell.State, args []effect.Arg, _ effect.Stream) effect.Stream {
	run.Operands(w, st, "mkfifo", args[1:])
	for _, a := range args[1:] {
		if w.Fifos == nil {
			w.Fifos = map[string]bool{}
		}
		w.Fifos[a.Text] = true
	}
	return effect.Stream{}
}
