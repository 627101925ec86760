// Package lang reads one-liners and scripts in other languages as far as they tell
// what they do: where strings end, which calls run programs, touch files or talk to
// hosts. It has no grammar of any of them, and is not led astray by what it can't
// read.
package lang

import (
	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/program/run"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// Family is the interpreters, and code in their languages.
func Family() run.Family {
	f := run.Family{
		Does: map[string]shell.Handler{}, Kinds: map[string]run.Kind{"source": sourceFile},
		Code:  func(name string) bool { return LanguageOf(name) != nil },
		Named: interpreterOf,
		After: []run.Look{rare},
	}
	for name, l := range Languages() {
		f.Does[name] = Interpreter
		f.Kinds[name] = func(w *shell.Walker, st *shell.State, construct string, a effect.Arg) {
			Foreign(w, st, l, construct, a, nil, effect.Stream{}, false)
		}
	}
	return f
}

// interpreterOf is for python3.12.
func interpreterOf(written string) shell.Handler {
	if LanguageOf(argv.Base(written)) != nil {
		return Interpreter
	}
	return nil
}
