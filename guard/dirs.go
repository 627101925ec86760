package guard

import (
	"path"
	"slices"
	"strings"
)

// cd changes where relative paths start. Moving is not reading: what the script
// does there is judged when it does it.
func cd(w *walker, st *state, args []arg, _ stream) stream {
	rest := args[1:]
	for len(rest) > 0 && strings.HasPrefix(rest[0].text, "-") && len(rest[0].text) > 1 {
		rest = rest[1:]
	}
	switch {
	case len(rest) == 0:
		w.moveTo(st, w.get(st, "HOME"))
	case rest[0].text == "-":
		w.moveTo(st, w.get(st, "OLDPWD"))
	default:
		if w.policy.Restrict { // there going outside is refused by itself
			w.path(st, kindRead, rest[0])
		}
		w.moveTo(st, rest[0].text)
		w.searched(st, rest[0].text)
	}
	return stream{}
}

// searched adds the directory that CDPATH makes of a relative one.
func (w *walker) searched(st *state, dir string) {
	if dir == "" || strings.HasPrefix(dir, "/") || strings.HasPrefix(dir, ".") {
		return
	}
	_, inScript := st.vars["CDPATH"]
	if _, inRequest := w.in.Env["CDPATH"]; !inScript && !inRequest {
		return
	}
	for root := range strings.SplitSeq(w.get(st, "CDPATH"), ":") {
		if !w.spend(1) {
			return
		}
		if p := w.locate(st, root+"/"+dir); root != "" && !p.unknown {
			st.cwds = alternatives(st.cwds, []string{p.path})
		}
	}
}

// pushd is cd that remembers; without an operand it goes back.
func pushd(w *walker, st *state, args []arg, _ stream) stream {
	rest := args[1:]
	if len(rest) > 0 && rest[0].text == "-n" {
		return stream{}
	}
	here := slices.Clone(st.cwds)
	switch {
	case len(rest) == 0:
		w.back(st)
	case strings.HasPrefix(rest[0].text, "+") || strings.HasPrefix(rest[0].text, "-"):
		w.moveTo(st, unknown)
	default:
		w.moveTo(st, rest[0].text)
	}
	st.stack = append(slices.Clip(st.stack), here)
	return stream{}
}

func popd(w *walker, st *state, args []arg, _ stream) stream {
	if len(args) > 1 && args[1].text != "" && strings.ContainsAny(args[1].text[:1], "+-") {
		w.moveTo(st, unknown)
		return stream{}
	}
	w.back(st)
	return stream{}
}

// back takes a directory off the stack and goes there.
func (w *walker) back(st *state) {
	if len(st.stack) == 0 {
		return // the shell refuses, and stays
	}
	n := len(st.stack) - 1
	st.set("OLDPWD", eitherDir(st.cwds))
	st.cwds, st.stack = st.stack[n], st.stack[:n]
}

// moveTo changes the directory relative paths start from. When it fails, and
// nobody looks, the script goes on where it was.
func (w *walker) moveTo(st *state, dir string) {
	if !st.errexit {
		st.fallback = alternatives(st.fallback, st.cwds)
	}
	st.set("OLDPWD", eitherDir(st.cwds))
	var cwds []string
	for _, cwd := range st.cwds {
		p := w.locateFrom(cwd, dir)
		if p.unknown {
			p.path = unknown
		}
		cwds = alternatives(cwds, []string{p.path})
	}
	st.cwds = cwds
}

// blind are programs that do not look at the directory they stand in.
var blind = names(`: . [ [[ alias bg break builtin cd chdir clear command continue date declare df dirs echo eval exec exit
	export expr false fg free getopts groups hash help hostname id jobs kill killall let local logname man mktemp nproc pgrep pkill
	popd printenv printf ps pushd pwd read readarray readonly mapfile return seq set shift shopt sleep source stty sudo test
	time timeout times top tput trap true tty type typeset ulimit umask uname unalias unset uptime wait which who whoami yes env nice nohup
	basename dirname tee cat tac head tail grep sort uniq wc cut tr sed awk rm mkdir touch cp mv ln chmod sh bash dash zsh`)

// strays judges a program that runs in a directory outside, where the command
// itself went: `cd .. && ls` reads what is there without naming it.
func (w *walker) strays(st *state, name string, a arg) {
	if blind.has(name) {
		return
	}
	for _, cwd := range st.cwds {
		if cwd == unknown || cwd == path.Clean(w.in.Cwd) || !w.spend(1) {
			continue
		}
		inside := w.inFolders(cwd) || w.inRoots(cwd)
		w.emitAt(a, effect{kind: kindRead, name: name, text: a.text, path: cwd, inside: inside})
	}
}
