package guard

import (
	"slices"
	"strings"
)

// drivePath guesses whether an argument of an unknown program is a path of Windows
// that could lead outside; see pathLike.
func (w *walker) drivePath(text string) bool {
	if !w.onDrives() || strings.ContainsAny(text, " \n\t") {
		return false
	}
	text = slashes(text)
	return onDrive(text) && (text[0] == '/' || text[2] == '/') || pathLike(text)
}

// windowsNamed gives a program the name it has in the tables: Windows looks for
// GIT, git.exe and npm.cmd without regard to case, and adds the ending itself.
func (w *walker) windowsNamed(args []arg) []arg {
	name := args[0].text
	if d := dialect(w.in); !w.onDrives() && d != "powershell" && d != "cmd" || strings.HasPrefix(name, "BASH_FUNC_") {
		return args
	}
	if w.onDrives() {
		name = slashes(name)
	}
	local := strings.Contains(name, "/") // a file of that very name, which the command may have made
	if w.onDrives() || !local {
		name = strings.ToLower(name)
	}
	for _, end := range [...]string{".exe", ".com", ".cmd", ".bat"} {
		if rest, ok := strings.CutSuffix(name, end); ok && rest != "" && !local {
			name = rest
			break
		}
	}
	if name == args[0].text {
		return args
	}
	args = slices.Clone(args)
	args[0].text, args[0].exact = name, false
	return args
}

// installed reports a program where Windows and its installers put them. Anyone may
// write below Temp and Tasks.
func (w *walker) installed(p string) bool {
	if !w.onDrives() || !slices.Contains(w.policy.Programs, "/usr/bin") { // a list that was narrowed stands
		return false
	}
	within := func(dir string) bool { return below(dir, p) }
	return slices.ContainsFunc([]string{"c:/windows", "c:/program files", "c:/program files (x86)", w.home + "/appdata/local/programs", w.home + "/appdata/roaming/npm", w.home + "/scoop/shims", w.home + "/.dotnet"}, within) &&
		!slices.ContainsFunc([]string{"c:/windows/temp", "c:/windows/tasks", "c:/windows/system32/tasks", "c:/windows/system32/spool"}, within)
}

// windowsCopies are the operands of what copies and renames files.
func windowsCopies(e *effect) (operands []arg, ok bool) {
	switch {
	case e.runs("copy-item", "move-item", "rename-item"):
		named, positional := parameters(e.args)
		for _, key := range [...]string{"path", "literalpath"} {
			if a, ok := named[key]; ok {
				positional = append([]arg{a}, positional...)
			}
		}
		for _, key := range [...]string{"destination", "newname"} {
			if a, ok := named[key]; ok {
				positional = append(positional, a)
			}
		}
		operands = positional
	case e.runs("copy", "xcopy", "move", "ren", "rename"):
		for _, a := range e.args {
			if !strings.HasPrefix(a.text, "/") {
				operands = append(operands, a)
			}
		}
	}
	return operands, operands != nil
}
