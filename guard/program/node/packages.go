// Package node knows the package managers of JavaScript.
package node

import (
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/lang"
	"github.com/pillion-sidecar/pillion/guard/place"
	"github.com/pillion-sidecar/pillion/guard/program"
	"github.com/pillion-sidecar/pillion/guard/program/run"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// nodePackages judges npm install ../x, which links or copies a folder and runs
// its install scripts. Names of packages are not paths.
func nodePackages(w *shell.Walker, st *shell.State, args []effect.Arg, _ effect.Stream) {
	_, words := program.MustSpec(argv.Base(args[0].Text)).Options(args[1:])
	if len(words) < 2 || !slices.Contains([]string{"install", "i", "in", "add", "ci", "update"}, words[0].Text) {
		return
	}
	for _, a := range words[1:] {
		for _, scheme := range [...]string{"file:", "link:", "portal:"} {
			if at := strings.Index(a.Text, scheme); at >= 0 { // name@file:../x
				a.Text, a.Exact = a.Text[at+len(scheme):], false
			}
		}
		if place.PathLike(a.Text) || strings.HasPrefix(a.Text, "~/") {
			w.Paths(st, effect.Effect{Kind: effect.Read, Discreet: true}, a)
		}
	}
}

// npmConfig is npm config set script-shell …, which every later script runs in.
func npmConfig(w *shell.Walker, st *shell.State, p effect.Arg, args []effect.Arg, _ effect.Stream) {
	if p.Text != "npm" && p.Text != "pnpm" && p.Text != "yarn" || len(args) < 3 || args[0].Text != "config" &&
		args[0].Text != "c" || args[1].Text != "set" {
		return
	}
	key, value, joined := strings.Cut(args[2].Text, "=")
	a := args[2].Tail(value)
	if !joined && len(args) > 3 {
		a = args[3]
	}
	if (key == "prefix" || key == "cache" || key == "userconfig") &&
		!(w.Home != "" && strings.HasPrefix(a.Text, w.Home+"/")) {
		w.Path(st, effect.Write, a) // where every later install goes
	}
	if kind := run.VariableKind("npm_config_" + strings.ReplaceAll(key, "-", "_")); kind != "" && a.Text != "" {
		run.Value(w, st, kind, "npm config set "+key, a)
	}
}

// Family is the package managers of JavaScript.
func Family() run.Family {
	packages := run.Besides(nodePackages)
	bun := func(w *shell.Walker, st *shell.State, args []effect.Arg, in effect.Stream) effect.Stream {
		packages(w, st.Clone(), args, in)
		return lang.Interpreter(w, st, args, in)
	}
	return run.Family{
		Does:   map[string]shell.Handler{"npm pnpm yarn": packages, "bun": bun},
		Before: []run.Look{npmConfig},
	}
}
