package node

import (
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/lang"
	"github.com/pillion-sidecar/pillion/guard/program/run"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// Family is the package managers of JavaScript.
func Family() run.Family {
	f := run.Family{Does: nodeHandlers(), Before: []run.Look{npmConfig, localPackages}}
	f.Does["bun"] = func(w *shell.Walker, st *shell.State, args []effect.Arg, in effect.Stream) effect.Stream {
		nodePackages(w, st.Clone(), args, in)
		return lang.Interpreter(w, st, args, in)
	}
	return f
}

// nodeHandlers are package managers that take a folder for a package.
func nodeHandlers() map[string]shell.Handler {
	return map[string]shell.Handler{"npm": nodePackages, "pnpm": nodePackages, "yarn": nodePackages, "bun": nodePackages}
}
