package run

import (
	"strings"

	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// plugin judges a file that a program loads as code, or as settings that name
// programs. In a directory anybody can write to it is asked about, unless this
// very command made it; from the network it is refused.
func plugin(w *shell.Walker, st *shell.State, construct string, a effect.Arg) {
	for _, prefix := range []string{"SO_PATH:", "dynamic_path:", "file:"} {
		a.Text = strings.TrimPrefix(a.Text, prefix)
	}
	a.Exact = false
	switch {
	case strings.HasPrefix(a.Text, "http://") || strings.HasPrefix(a.Text, "https://"):
		w.EmitAt(a, effect.Effect{Kind: effect.Code, Name: construct, Text: construct + " " + a.Text, From: []string{"curl"}})
		return
	case a.Text == "" || a.Text == "none" || a.Text == "/dev/null" || shell.Standard(a.Text) ||
		!strings.ContainsAny(a.Text, "/"):
		return
	}
	w.Path(st, effect.Read, a)
	p := w.Locate(st, a.Text)
	if !p.Unknown && w.InRoots(p.Path) && !w.InFolders(p.Path) && len(w.Contents(st, a.Text)) == 0 {
		w.EmitAt(a, effect.Effect{Kind: effect.Hook, Name: construct, Text: construct + " " + a.Text, Inside: true})
	}
}
