package executor

import (
	"encoding/base64"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"unicode/utf16"
)

// What is different about a command of Windows, as functions of the platform's name:
// all of it is tested everywhere.

// beforeScript is put before a script of PowerShell: its output is UTF-8, and no
// progress is told, which without a screen would be XML among the errors. It is a line
// of its own, ended by a semicolon, so that nothing in the script can become part of it.
const beforeScript = "$ProgressPreference='SilentlyContinue';[Console]::OutputEncoding=[Text.UTF8Encoding]::new($false);\n"

// encodedScript is a script as -EncodedCommand takes it, in base64 of UTF-16. Quoted
// on a command line it would be read three times, by rules that differ: what was judged
// would not be what runs.
func encodedScript(script string) string {
	var b []byte
	for _, u := range utf16.Encode([]rune(beforeScript + script)) {
		b = append(b, byte(u), byte(u>>8))
	}
	return base64.StdEncoding.EncodeToString(b)
}

// programFiles are the files that may be meant by a program's name, in their order.
// On Windows a name without an ending is one of four; batch files come last and are
// refused by name.
func programFiles(goos, name string) []string {
	if goos != "windows" || slices.Contains(programEndings, strings.ToLower(path.Ext(name))) {
		return []string{name}
	}
	var files []string
	for _, ending := range programEndings {
		files = append(files, name+ending)
	}
	return files
}

// withEnding is the path of a program with the ending that its file has.
func withEnding(goos, program string, exists func(string) bool) string {
	files := programFiles(goos, program)
	if len(files) == 1 || exists(program) {
		return program
	}
	if i := slices.IndexFunc(files, exists); i >= 0 {
		return files[i]
	}
	return program
}

func fileThere(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

var programEndings = []string{".com", ".exe", ".bat", ".cmd"}

// mayExecute: Windows has no permission bit for it.
func mayExecute(goos string, mode fs.FileMode) bool { return goos == "windows" || mode&0o111 != 0 }

// envName is the name of a variable. Those of Windows differ by more than case.
func envName(goos, name string) string {
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

// systemEnv says whether a variable reaches a command because Windows needs it.
func systemEnv(goos, mode, name string) bool {
	return goos == "windows" && (slices.Contains(vitalEnv, name) || mode != "none" && slices.Contains(windowsEnv, name))
}

// homeVars tell a command where its private home and its temporary files are.
func homeVars(goos, home, tmp string) map[string]string {
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
