package git

import (
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// ownHome reports a home made up for one command: git and ssh take programs from
// the settings they find there.
func ownHome(w *shell.Walker, st *shell.State, args []effect.Arg, _ effect.Stream) {
	name := argv.Base(args[0].Text)
	if !slices.Contains([]string{"git", "ssh", "scp", "vim", "nvim", "bash", "zsh", "tmux", "emacs"}, name) {
		return
	}
	for _, v := range []string{"HOME", "XDG_CONFIG_HOME"} {
		b, ok := st.Vars[v]
		if !ok || len(b) != 1 || b[0].Str == "" || strings.Contains(b[0].Str, effect.Unknown) {
			continue
		}
		p := w.Locate(st, b[0].Str)
		if !p.Unknown && w.InRoots(p.Path) && !w.InFolders(p.Path) && !slices.Contains(w.Roots, p.Path) {
			w.Emit(effect.Effect{Kind: effect.Hook, Name: v, Text: v + "=" + b[0].Str, Span: w.At.Whole, Inside: true})
		}
	}
}
