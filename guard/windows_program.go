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
	if local := strings.Contains(name, "/"); w.onDrives() || !local {
		name = strings.ToLower(name)
		for _, end := range [...]string{".exe", ".com", ".cmd", ".bat"} {
			if rest, ok := strings.CutSuffix(name, end); ok && rest != "" && (!local || end == ".exe") {
				name = rest
				break
			}
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
