// Package windows reads PowerShell and cmd by rules about text, without a grammar or
// control flow.
package windows

import (
	_ "embed"
	"path"
	"strings"
	"sync"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/program/run"
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

func loadsCode(_ *shell.Walker, e *effect.Effect) bool {
	return e.Kind == effect.Exec && argv.AnyText(e.Args, hiddenStream)
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
