package executor

import (
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"unicode/utf16"

	"github.com/pillion-sidecar/pillion/executor/environ"
	"github.com/pillion-sidecar/pillion/guard"
	"github.com/pillion-sidecar/pillion/sandbox"
)

// Shell is a shell that a request may name.
type Shell struct {
	Name    string // "sh"
	Path    string // absolute
	Dialect string // "posix", "bash", "powershell": what its language really is
}

// findShells lists the shells of this machine; the first is the default.
func findShells() []Shell {
	var found []Shell
	for _, s := range shellCandidates(runtime.GOOS) {
		resolved, err := filepath.EvalSymlinks(s.Path)
		if err != nil {
			continue
		}
		if filepath.Base(resolved) == "bash" {
			s.Dialect = "bash"
		}
		found = append(found, s)
	}
	return found
}

// shellCandidates is a table by GOOS, so that every platform's is tested
// everywhere. Only system paths: a shell found through PATH could be the
// workspace's own.
func shellCandidates(goos string) []Shell {
	if goos == "windows" {
		return []Shell{
			{"powershell", `C:\Windows\System32\WindowsPowerShell\v1.0\powershell.exe`, "powershell"},
			{"pwsh", `C:\Program Files\PowerShell\7\pwsh.exe`, "powershell"},
		}
	}
	return []Shell{
		{"sh", "/bin/sh", "posix"},
		{"bash", "/bin/bash", "bash"},
		{"bash", "/usr/local/bin/bash", "bash"},
		{"dash", "/bin/dash", "posix"},
	}
}

// shellArgv runs a script in a shell. A script that begins like an option gets a
// blank in front, which means nothing to a shell and keeps -c its operand.
func shellArgv(s Shell, script string) []string {
	if s.Dialect == "powershell" {
		return []string{s.Name, "-NoProfile", "-NonInteractive", "-OutputFormat", "Text", "-EncodedCommand", encodedScript(script)}
	}
	if strings.HasPrefix(script, "-") || strings.HasPrefix(script, "+") {
		script = " " + script
	}
	return []string{s.Name, "-c", script}
}

func (e *Engine) shell(name string) (Shell, bool) {
	i := slices.IndexFunc(e.shells, func(s Shell) bool { return s.Name == name || name == "" })
	if i < 0 {
		return Shell{}, false
	}
	return e.shells[i], true
}

// launch is what to execute.
type launch struct {
	path string
	argv []string
}

// launches finds what to execute: the shell with the text, or argv's program.
// Where the guard made text of its own from what it read, that runs: a shell
// can't find a command in it that the guard's parser overlooked.
func (e *Engine) launches(r Request, v guard.Verdict, cwd string, env []string) ([]launch, error) {
	s, _ := e.shell(r.Shell)
	switch {
	case r.Command != "":
		return []launch{s.runs(cmp.Or(v.Canonical, r.Command))}, nil
	case len(r.Commands) > 0:
		list := make([]launch, len(r.Commands))
		for i, text := range r.Commands {
			list[i] = s.runs(cmp.Or(v.Commands[i].Canonical, text))
		}
		return list, nil
	}
	path, err := lookPath(r.Argv[0], cwd, env)
	if err == nil && runtime.GOOS == "windows" && sandbox.BatchFile(path) {
		return nil, &ParamError{
			Path: "/argv/0", Got: fmt.Sprintf("%.80q", path),
			Expected: "a program: a batch file takes its arguments for commands; run it by the shell, with command",
		}
	}
	return []launch{{path, r.Argv}}, err
}

func (s Shell) runs(script string) launch { return launch{s.Path, shellArgv(s, script)} }

// lookPath finds a program the way execvp(3) does, over the command's own PATH,
// but never through a relative entry: "." in PATH runs whatever a repository
// calls "git".
func lookPath(name, cwd string, env []string) (string, error) {
	if strings.ContainsRune(name, filepath.Separator) || runtime.GOOS == "windows" && strings.ContainsAny(name, "/:") {
		if !filepath.IsAbs(name) {
			name = filepath.Join(cwd, name)
		}
		return withEnding(runtime.GOOS, name, fileThere), nil
	}
	if path, ok := programIn(filepath.SplitList(environ.Value(env, "PATH")), name); ok {
		return path, nil
	}
	return "", &sandbox.SpawnError{Program: name, Errno: syscall.ENOENT}
}

// programIn finds a program in the first of the directories that has it.
func programIn(dirs []string, name string) (string, bool) {
	files := programFiles(runtime.GOOS, name)
	for _, dir := range dirs {
		if !filepath.IsAbs(dir) {
			continue
		}
		for _, file := range files {
			path := filepath.Join(dir, file)
			if st, err := os.Stat(path); err == nil && !st.IsDir() && mayExecute(runtime.GOOS, st.Mode()) {
				return path, true
			}
		}
	}
	return "", false
}

// unseen finds a program on the user's own PATH, in a directory that a policy's commands
// don't see. Its being there is not a secret: by that name, commands that may see it are
// run.
func (e *Engine) unseen(name string, p sandbox.Policy) (string, bool) {
	dirs := slices.DeleteFunc(filepath.SplitList(environ.Value(e.environ, "PATH")), func(dir string) bool {
		return p.Covers(filepath.Clean(dir), false) || p.Hides(e.conf.Home, dir)
	})
	return programIn(dirs, name)
}

// notSeen says of a program that is not there where the user has it, if commands don't see it.
func (e *Engine) notSeen(err error, p sandbox.Policy) error {
	if missed, ok := errors.AsType[*sandbox.SpawnError](err); ok && missed.Errno == syscall.ENOENT {
		if path, ok := e.unseen(filepath.Base(missed.Program), p); ok {
			return &sandbox.SpawnError{Program: path, Errno: missed.Errno, Unseen: true}
		}
	}
	return err
}

// What is different about a command of Windows, as functions of the platform's name:
// all of it is tested everywhere.

// beforeScript is put before a script of PowerShell: its output is UTF-8, and it shows no
// progress, which without a screen would be XML among the errors. It is a line of its own,
// ended by a semicolon, so that nothing in the script can become part of it.
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
