package windows

import (
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/place"
	"github.com/pillion-sidecar/pillion/guard/program/run"
	"github.com/pillion-sidecar/pillion/guard/program/secret"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// windowsNamed gives a program the name it has in the tables: Windows looks for
// GIT, git.exe and npm.cmd without regard to case, and adds the ending itself.
func windowsNamed(w *shell.Walker, args []effect.Arg) []effect.Arg {
	name := args[0].Text
	if d := shell.Dialect(w.In); !w.OnDrives() && d != "powershell" && d != "cmd" ||
		strings.HasPrefix(name, "BASH_FUNC_") {
		return args
	}
	if w.OnDrives() {
		name = place.Slashes(name)
	}
	local := strings.Contains(name, "/") // a file of that very name, which the command may have made
	if w.OnDrives() || !local {
		name = strings.ToLower(name)
	}
	for _, end := range [...]string{".exe", ".com", ".cmd", ".bat"} {
		if rest, ok := strings.CutSuffix(name, end); ok && rest != "" && !local {
			name = rest
			break
		}
	}
	if name == args[0].Text {
		return args
	}
	args = slices.Clone(args)
	args[0].Text, args[0].Exact = name, false
	return args
}

// windowsCopies are the operands of what copies and renames files.
func windowsCopies(e *effect.Effect) (operands []effect.Arg, ok bool) {
	switch {
	case e.Runs("copy-item", "move-item", "rename-item"):
		named, positional := parameters(e.Args)
		operands = slices.Concat(valuesOf(named, "literalpath path"), positional, valuesOf(named, "destination newname"))
	case e.Runs("copy", "xcopy", "move", "ren", "rename"):
		for _, a := range e.Args {
			if !strings.HasPrefix(a.Text, "/") {
				operands = append(operands, a)
			}
		}
	}
	return operands, operands != nil
}

// copiesSecretThere is secret/copy for cmdlets and cmd's commands.
func copiesSecretThere(w *shell.Walker, e *effect.Effect) bool {
	operands, ok := windowsCopies(e)
	return ok && secret.Bares(w, operands)
}

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
