package shell

import (
	"sync"

	"github.com/pillion-sidecar/pillion/guard/effect"
)

// Programs is all that the walk asks about programs.
type Programs interface {
	// Named is a command with its program under the name that it is known by.
	Named(w *Walker, args []effect.Arg) []effect.Arg
	// Exec judges a program past aliases and functions, and answers what it prints.
	// own is the shell's own command of that name, nil if it has none.
	Exec(w *Walker, st *State, args []effect.Arg, in effect.Stream, own Handler) effect.Stream
	// Text judges text for a shell of Windows, which has no grammar here.
	Text(w *Walker, st *State, dialect, text string)
	// Known reports a program that anything is known of.
	Known(name string) bool
	// Means are what the program of an effect is told to do.
	Means(w *Walker, e *effect.Effect) []string
	// Variable judges the value of a variable that is set for some program.
	Variable(w *Walker, e *effect.Effect)
	// Acts reports a variable that acts as soon as it is set in a shell.
	Acts(variable string) bool
}

// Handler judges one program by more than the roles of its arguments, and
// answers what it prints. args[0] is the program.
type Handler func(w *Walker, st *State, args []effect.Arg, in effect.Stream) effect.Stream

var builtins func() map[string]Handler

func init() { builtins = sync.OnceValue(builtinTable) } // they walk commands, which look here

// Builtin is what the shell does itself, or another shell; nil if that is a program.
func Builtin(name string) Handler {
	if h := builtins()[name]; h != nil {
		return h
	}
	if _, ok := Dialects()[name]; ok {
		return shell
	}
	return nil
}

func builtinTable() map[string]Handler {
	return map[string]Handler{
		"cd": cd, "chdir": cd, "pushd": pushd, "popd": popd, "pwd": pwd,
		"eval": eval, ".": source, "source": source, "command": command, "builtin": command, "exec": execute,
		"trap": trap, "alias": alias, "hash": hash, "enable": enable, "which": which, "type": which,
		"test": tests, "[": tests, "wait": waitsFor, "complete": completions, "compgen": completions, "bind": bind,
		"set": set, "shift": shift, "unset": unset,
		"read": reads, "mapfile": mapfile, "readarray": mapfile, "getopts": getopts,
		"export": export, "readonly": export, "local": export, "declare": export, "typeset": export,
		"break": leave, "continue": leave, "return": leave,
		"echo": echo, "printf": printf,
	}
}
