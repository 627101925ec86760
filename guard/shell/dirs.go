package shell

import (
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/effect"
)

// cd changes where relative paths start. Moving is not reading: what the script
// does there is judged when it does it.
func cd(w *Walker, st *State, args []effect.Arg) {
	rest := args[1:]
	for len(rest) > 0 && strings.HasPrefix(rest[0].Text, "-") && len(rest[0].Text) > 1 {
		rest = rest[1:]
	}
	switch {
	case len(rest) == 0:
		w.MoveTo(st, w.Get(st, "HOME"))
	case rest[0].Text == "-":
		w.MoveTo(st, w.Get(st, "OLDPWD"))
	default:
		if w.Restrict { // there going outside is refused by itself
			w.Path(st, effect.Read, rest[0])
		}
		w.MoveTo(st, rest[0].Text)
		w.searched(st, rest[0].Text)
	}
}

// searched adds the directory that CDPATH makes of a relative one.
func (w *Walker) searched(st *State, dir string) {
	if dir == "" || strings.HasPrefix(dir, "/") || strings.HasPrefix(dir, ".") {
		return
	}
	_, inScript := st.Vars["CDPATH"]
	if _, inRequest := w.In.Env["CDPATH"]; !inScript && !inRequest {
		return
	}
	for root := range strings.SplitSeq(w.Get(st, "CDPATH"), ":") {
		if !w.Spend(1) {
			return
		}
		if p := w.Locate(st, root+"/"+dir); root != "" && !p.Unknown {
			st.Cwds = alternatives(st.Cwds, []string{p.Path})
		}
	}
}

// pushd is cd that remembers; without an operand it goes back.
func pushd(w *Walker, st *State, args []effect.Arg) {
	rest := args[1:]
	if len(rest) > 0 && rest[0].Text == "-n" {
		return
	}
	here := slices.Clone(st.Cwds)
	switch {
	case len(rest) == 0:
		w.goBack(st)
	case strings.HasPrefix(rest[0].Text, "+") || strings.HasPrefix(rest[0].Text, "-"):
		w.MoveTo(st, effect.Unknown)
	default:
		w.MoveTo(st, rest[0].Text)
	}
	st.stack = append(slices.Clip(st.stack), here)
}

func popd(w *Walker, st *State, args []effect.Arg) {
	if len(args) > 1 && args[1].Text != "" && strings.ContainsAny(args[1].Text[:1], "+-") {
		w.MoveTo(st, effect.Unknown)
		return
	}
	w.goBack(st)
}

// goBack takes a directory off the stack and goes there.
func (w *Walker) goBack(st *State) {
	if len(st.stack) == 0 {
		return // the shell refuses, and stays
	}
	n := len(st.stack) - 1
	st.set("OLDPWD", eitherDir(st.Cwds))
	st.Cwds, st.stack = st.stack[n], st.stack[:n]
}

// MoveTo changes the directory relative paths start from. When it fails unnoticed, the
// script goes on where it was.
func (w *Walker) MoveTo(st *State, dir string) {
	if !st.errexit {
		st.fallback = alternatives(st.fallback, st.Cwds)
	}
	st.set("OLDPWD", eitherDir(st.Cwds))
	var cwds []string
	for _, cwd := range st.Cwds {
		p := w.LocateFrom(cwd, dir)
		if p.Unknown {
			p.Path = effect.Unknown
		}
		cwds = alternatives(cwds, []string{p.Path})
	}
	st.Cwds = cwds
}
