package guard

import (
	"maps"
	"sync"
)

// handler judges one program by more than the roles of its arguments, and
// answers what it prints. args[0] is the program.
type handler func(w *walker, st *state, args []arg, in stream) stream

// handlers is filled in by init: the handlers walk commands, which look here.
var handlers func() map[string]handler

func init() { handlers = sync.OnceValue(handlerTable) }

func handlerTable() map[string]handler {
	m := map[string]handler{}
	for _, family := range []func() map[string]handler{shellHandlers, toolHandlers} {
		maps.Copy(m, family())
	}
	for name := range dialects() {
		m[name] = shell
	}
	for name := range languages {
		m[name] = interpreter
	}
	for name := range wrappers() {
		m[name] = wrap
	}
	for _, family := range ruleHandlers {
		for name, h := range family() {
			m[name] = both(m[name], h)
		}
	}
	return m
}

// shellHandlers are the shell's own commands and what it prints with.
func shellHandlers() map[string]handler {
	return map[string]handler{
		"cd": cd, "chdir": cd, "pushd": pushd, "popd": popd,
		"eval": eval, ".": source, "source": source, "trap": trap, "alias": alias, "command": command, "builtin": command, "exec": execute, "hash": hash, "enable": enable,
		"test": tests, "[": tests, "wait": waitsFor, "complete": completions, "compgen": completions, "bind": bind,
		"set": set, "shift": shift, "unset": unset, "read": reads, "mapfile": mapfile, "readarray": mapfile, "getopts": getopts,
		"export": export, "readonly": export, "local": export, "declare": export, "typeset": export,
		"break": leave, "continue": leave, "return": leave,
		"echo": echo, "printf": printf, "cat": cat, "tee": tee, "sponge": tee, "pwd": pwd, "mktemp": mktemp, "mkfifo": mkfifo,
		"which": which, "type": which, "ls": ls, "basename": basename, "dirname": dirname,
		"find": find, "gfind": find, "bfs": find, "xargs": xargs, "gxargs": xargs, "parallel": parallel, "dd": dd, "dcfldd": dd, "dc3dd": dd, "ln": ln, "fd": fd, "fdfind": fd,
	}
}

// toolHandlers are programs whose options or scripts run code.
func toolHandlers() map[string]handler {
	return map[string]handler{
		"git": git, "hub": git, "sed": sed, "gsed": sed, "awk": awk, "gawk": awk, "mawk": awk, "nawk": awk, "jq": jq, "gojq": jq,
	}
}

// ruleHandlers are programs that rules look at closely. Where another family has
// a handler too, both judge.
var ruleHandlers = []func() map[string]handler{netHandlers, containerHandlers, databaseHandlers, secretHandlers, windowsHandlers, machineHandlers, nodeHandlers}

// both judges with each of two handlers; what is printed is the second's word.
func both(a, b handler) handler {
	if a == nil {
		return b
	}
	return func(w *walker, st *state, args []arg, in stream) stream {
		b(w, st.clone(), args, in)
		return a(w, st, args, in)
	}
}
