package windows

import (
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/place"
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
		for _, key := range [...]string{"path", "literalpath"} {
			if a, ok := named[key]; ok {
				positional = append([]effect.Arg{a}, positional...)
			}
		}
		for _, key := range [...]string{"destination", "newname"} {
			if a, ok := named[key]; ok {
				positional = append(positional, a)
			}
		}
		operands = positional
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
