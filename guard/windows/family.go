// Package windows reads PowerShell and cmd by rules about text, without a grammar or
// control flow.
package windows

import (
	_ "embed"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/lang"
	"github.com/pillion-sidecar/pillion/guard/place"
	"github.com/pillion-sidecar/pillion/guard/program/net"
	"github.com/pillion-sidecar/pillion/guard/program/run"
	"github.com/pillion-sidecar/pillion/guard/program/secret"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// Family is PowerShell, cmd, and the programs of Windows.
func Family() run.Family {
	return run.Family{
		Does: map[string]shell.Handler{
			"powershell pwsh": startPowerShell, "cmd": startCmd, "wsl": startWSL,
			// Typed at a shell that is not cmd they do nothing, but they are meant.
			"del erase rd takeown icacls attrib xcopy robocopy mklink deltree": typedCmd,
		},
		Kinds:  map[string]run.Kind{"powershell": powershellText},
		Texts:  map[string]run.Kind{"powershell": powershellText, "cmd": cmdText},
		Named:  cmdletOf,
		Rename: windowsNamed,
		Means: []run.Meaning{
			{Word: "windows/loader", When: run.OfMachine(loadsCode)},
			{Word: "secret/copy", When: copiesSecretThere},
			{Word: "outward/message", When: postsThere},
		},
	}
}

func powershellText(w *shell.Walker, st *shell.State, _ string, a effect.Arg) {
	powershell(w, st, a.Text, effect.Stream{})
}

func cmdText(w *shell.Walker, st *shell.State, _ string, a effect.Arg) {
	cmdline(w, st, a.Text, effect.Stream{})
}

func cmdletOf(written string) shell.Handler {
	if cmdletName(written) {
		return typedCmdlet
	}
	return nil
}

// namesText has the names that Windows' shells know themselves.
//
//go:embed names.txt
var namesText string

var nameTables = sync.OnceValue(func() map[string]map[string]string {
	tables := map[string]map[string]string{}
	for _, key := range []string{"alias", "cmdlet", "cmd", "value", "switch"} {
		tables[key] = argv.Kinds(namesText, key)
	}
	return tables
})

func names(key string) map[string]string { return nameTables()[key] }

// pathsByRoles judges operands by the roles of the first, and of the last of several.
func pathsByRoles(w *shell.Walker, st *shell.State, roles string, deep bool, operands []effect.Arg) {
	for i, a := range operands {
		role := roles[0]
		if i > 0 && i == len(operands)-1 {
			role = roles[1]
		}
		switch argv.Role(role) {
		case argv.Delete:
			run.WindowsPaths(w, st, effect.Effect{Kind: effect.Delete, Recursive: deep}, a)
		case argv.Write:
			run.WindowsPaths(w, st, effect.Effect{Kind: effect.Write}, a)
		case argv.Read:
			run.WindowsPaths(w, st, effect.Effect{Kind: effect.Read}, a)
		case argv.Uses:
			run.WindowsPaths(w, st, effect.Effect{Kind: effect.Read, Discreet: true}, a)
		}
	}
}

// slashed is a command with slashes in the path of its program.
func slashed(words []effect.Arg) []effect.Arg {
	words = slices.Clone(words)
	words[0].Text = strings.ReplaceAll(words[0].Text, `\`, "/")
	return words
}

// goes is cd.
func goes(w *shell.Walker, st *shell.State, to effect.Arg) {
	to.Text = strings.ReplaceAll(to.Text, `\`, "/")
	run.WindowsPaths(w, st, effect.Effect{Kind: effect.Read, Discreet: true}, to)
	w.MoveTo(st, to.Text)
}

// postsThere is a request by a cmdlet, see net.Posts.
func postsThere(_ *shell.Walker, e *effect.Effect) bool {
	if !e.Runs("invoke-webrequest", "invoke-restmethod") {
		return false
	}
	named, urls := parameters(e.Args)
	body := len(valuesOf(named, "body b infile form")) > 0
	urls = append(slices.Clip(urls[:min(1, len(urls))]), valuesOf(named, "uri u")...)
	return net.Posts(named["method"].Text, body, e.Args, urls)
}

func loadsCode(_ *shell.Walker, e *effect.Effect) bool {
	return e.Kind == effect.Exec && (argv.AnyText(e.Args, hiddenStream) || lang.LanguageOf(e.Name) != nil &&
		argv.AnyText(e.Args, func(s string) bool { return strings.HasPrefix(s, `\\`) && lang.SourceOf(s) != nil }))
}

// hiddenStream reports C:\dir\file:stream, content of a file that no listing shows.
func hiddenStream(s string) bool {
	if len(s) < 5 || s[1] != ':' || s[2] != '\\' {
		return false
	}
	file, stream, ok := strings.Cut(s[3:], ":")
	return ok && strings.Contains(path.Base(strings.ReplaceAll(file, `\`, "/")), ".") && stream != "" &&
		strings.Trim(stream, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-$") == ""
}

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
	for _, end := range [...]string{".exe", ".com", ".cmd", ".bat", ".vbs"} {
		if rest, ok := strings.CutSuffix(name, end); ok && rest != "" && !local {
			name = rest
			break
		}
	}
	args = slices.Clone(args)
	name, args = sibling(w, name, args)
	if name == args[0].Text {
		return args
	}
	args[0].Text, args[0].Exact = name, false
	return args
}

// pyVersion is how the launcher of Python is told which one: py -3.12 x.py.
var pyVersion = argv.Pattern(`^-(?:[23](?:\.\d+)?(?:-\w+)?|V:\S+)$`)

// sibling is a program for another one's builds: nc64 and pythonw do what nc and python do, and
// py starts a python.
func sibling(w *shell.Walker, name string, args []effect.Arg) (string, []effect.Arg) {
	if name == "py" {
		if len(args) > 1 && pyVersion().MatchString(args[1].Text) {
			args = slices.Delete(args, 1, 2)
		}
		return "python", args
	}
	for _, end := range [...]string{"64", "32", "w"} {
		rest, ok := strings.CutSuffix(name, end)
		if ok && len(rest) > 1 && !w.Programs.Known(name) && w.Programs.Known(rest) {
			return rest, args
		}
	}
	return name, args
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
	if run.VariableKind(name) == "" { // npm's are in small letters
		name = strings.ToUpper(name)
	}
	switch run.VariableKind(name) {
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
