package environ

import (
	"path/filepath"
	"slices"
	"strings"
)

// Name is the name of a variable. Those of Windows differ by more than case.
func Name(goos, name string) string {
	if goos == "windows" {
		return strings.ToUpper(name)
	}
	return name
}

// vitalEnv is what every program of Windows needs: without SYSTEMROOT not even a
// socket or a random number is to be had.
var vitalEnv = []string{"SYSTEMROOT", "SYSTEMDRIVE", "WINDIR"}

// windowsEnv is inherited by default on top of coreEnv. The last ones are the
// sandbox's own wherever it has a home.
var windowsEnv = []string{
	"COMSPEC", "PATHEXT", "OS", "NUMBER_OF_PROCESSORS", "PROCESSOR_ARCHITECTURE", "PROCESSOR_IDENTIFIER", "PROCESSOR_LEVEL",
	"PROCESSOR_REVISION", "PROGRAMFILES", "PROGRAMFILES(X86)", "PROGRAMW6432", "COMMONPROGRAMFILES", "COMMONPROGRAMFILES(X86)",
	"COMMONPROGRAMW6432", "PROGRAMDATA", "ALLUSERSPROFILE", "PUBLIC", "USERNAME", "USERDOMAIN", "COMPUTERNAME",
	"USERPROFILE", "HOMEDRIVE", "HOMEPATH", "APPDATA", "LOCALAPPDATA", "TEMP", "TMP",
}

// SystemEnv says whether a variable reaches a command because Windows needs it.
func SystemEnv(goos, mode, name string) bool {
	return goos == "windows" && (slices.Contains(vitalEnv, name) || mode != "none" && slices.Contains(windowsEnv, name))
}

// HomeVars tell a command where its private home and its temporary files are.
func HomeVars(goos, home, tmp string) map[string]string {
	vars := map[string]string{"HOME": home, "TMPDIR": tmp}
	if goos != "windows" {
		return vars
	}
	drive, rest, _ := strings.Cut(home, ":")
	vars["USERPROFILE"], vars["HOMEDRIVE"], vars["HOMEPATH"] = home, drive+":", rest
	vars["APPDATA"], vars["LOCALAPPDATA"] = home+`\AppData\Roaming`, home+`\AppData\Local`
	vars["TEMP"], vars["TMP"] = tmp, tmp
	return vars
}

// Path is the PATH of commands: the directories that the user's policy
// names, then the editor's own. Relative and empty entries go: they run whatever a
// repository calls "git". So do those that can't be read: a shell that finds a
// program there goes no further, and then may not run it.
func Path(path string, first []string, hidden func(dir string) bool) string {
	var out []string
	for _, dir := range append(slices.Clone(first), filepath.SplitList(path)...) {
		if filepath.IsAbs(dir) && !hidden(filepath.Clean(dir)) && !slices.Contains(out, dir) {
			out = append(out, dir)
		}
	}
	return strings.Join(out, string(filepath.ListSeparator))
}

// Value is that of a name, "" for none.
func Value(env []string, name string) string {
	for _, kv := range env {
		if n, v, _ := strings.Cut(kv, "="); n == name {
			return v
		}
	}
	return ""
}
