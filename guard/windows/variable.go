package windows

import (
	"strings"

	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/program/run"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// windowsVariable judges what a Windows shell sets for the programs after it, in
// whatever case: set Git_Ssh_Command=…. Not the lists of directories, whose language is
// another one there.
func windowsVariable(w *shell.Walker, name string, at effect.Arg, value string) {
	if run.VariableKinds()[name] == "" { // npm's are in small letters
		name = strings.ToUpper(name)
	}
	switch kind := run.VariableKinds()[name]; kind {
	case "", "search", "programs":
		return
	}
	w.EmitAt(at, effect.Effect{Kind: effect.Env, Name: name, Text: value})
}

// givesVariable is $env:NAME = value.
func givesVariable(w *shell.Walker, c windowsCommand) {
	name, ok := strings.CutPrefix(c.target, "env:")
	if !ok || len(c.words) == 0 {
		return
	}
	value := effect.Unknown
	if len(c.words) == 1 {
		value = c.words[0].Text
	}
	windowsVariable(w, name, c.words[0], value)
}

// cmdSet is cmd's: set NAME=value, where = is a blank, and set "NAME=value".
func cmdSet(w *shell.Walker, args []effect.Arg) {
	if len(args) == 0 || strings.HasPrefix(args[0].Text, "/") {
		return
	}
	name, value, quoted := strings.Cut(args[0].Text, "=")
	if !quoted {
		value = strings.Join(effect.Texts(args[1:]), " ")
	}
	windowsVariable(w, name, args[0], value)
}
