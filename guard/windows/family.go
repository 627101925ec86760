package windows

import (
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/program/run"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// Family is PowerShell, cmd, and the programs of Windows.
func Family() run.Family {
	return run.Family{
		Does:   windowsHandlers(),
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

// windowsHandlers are the Windows shells as programs, and the commands of cmd
// typed at a shell that is not it: on the wrong machine they do nothing, but
// whoever types them means it.
func windowsHandlers() map[string]shell.Handler {
	return map[string]shell.Handler{
		"powershell": startPowerShell, "pwsh": startPowerShell, "cmd": startCmd, "wsl": startWSL,
		"del": typedCmd, "erase": typedCmd, "rd": typedCmd, "takeown": typedCmd, "icacls": typedCmd, "attrib": typedCmd,
		"xcopy": typedCmd, "robocopy": typedCmd, "mklink": typedCmd, "deltree": typedCmd,
	}
}
