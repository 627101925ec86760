package assess

import (
	"maps"
	"slices"

	"github.com/pillion-sidecar/pillion/sandbox/policy"
)

// WindowsAttempts are those of Windows. Their names are its own: what Linux calls so
// does not exist there.
var WindowsAttempts = attempted{
	// low: in a directory labelled as AppData\LocalLow is. protected: a .vscode in the
	// workspace.
	Write:   []string{"write", "truncate", "rename", "delete", "attributes", "rules", "stream", "registry", "low", "protected"},
	Read:    []string{"read"},
	Network: []string{"tcp", "udp"},
	Tree:    []string{"terminate", "suspend", "inject", "memory", "daemon", "breakaway"},
	IPC:     []string{"pipe", "section", "event"},
	Kernel:  []string{"privilege", "admin", "token"},
}

// WindowsBackend names those of a mode; nested as planJob means it.
func WindowsBackend(rung string, mode policy.Mode, nested bool) []string {
	if mode == policy.Off {
		return []string{policy.BackendJob}
	}
	b := []string{policy.BackendToken, policy.BackendLow}
	if rung == policy.RungWriteRestricted {
		b = append(b, policy.RungWriteRestricted)
	}
	if !nested {
		b = append(b, policy.BackendUI)
	}
	return append(b, policy.BackendJob)
}

// WindowsFacts are what a healthy Windows must answer, for the documentation and its test:
// no machine's report is made of them. The gaps here are what an ordinary user can't have
// there.
func WindowsFacts(rung string, mode policy.Mode) Facts {
	f := Facts{Rung: rung, Backend: WindowsBackend(rung, mode, false), Refused: map[string]bool{}}
	if mode == policy.Off {
		maps.Copy(f.Refused, map[string]bool{"daemon": true, "breakaway": true})
		return f
	}
	for _, list := range [][]string{WindowsAttempts.Write, WindowsAttempts.Tree, WindowsAttempts.IPC, WindowsAttempts.Kernel} {
		for _, a := range list {
			f.Refused[a] = true
		}
	}
	f.Refused["protected"] = mode == policy.ReadOnly
	f.Refused["low"] = rung == policy.RungWriteRestricted
	return f
}

// WindowsLacks are what no rung of Windows gives, and what can be done about it.
var WindowsLacks = []policy.Missing{
	{
		Feature: "fsRead", Reason: "Windows keeps no program of the user from reading the user's files",
		Hint: `run pillion in WSL 2, which enforces everything; or say reads "all" with network "allow": mode "read-only" is enforced then`,
	},
	{
		Feature: "network", Reason: "only an administrator can keep a program of Windows from the network",
		Hint: `run pillion in WSL 2; or say require "bestEffort", which runs commands and reports what is missing`,
	},
}

// jobResiduals say what a job does not hold.
func jobResiduals(backend []string) []string {
	out := []string{"the size of files, free disk space and open files are not limited; of CPU time, only that outside of the kernel is"}
	if !slices.Contains(backend, policy.BackendUI) {
		out = append(out, "the clipboard can be read and changed: pillion was started within a job object, and Windows limits the user interface in none of two")
	}
	return out
}

var windowsResiduals = []string{
	"every file of the user can be read, secrets included: Windows keeps nobody from reading what is the user's",
	"the network can be used: to refuse it takes an administrator's rules",
	"protected paths are kept while they are there: new ones can be made, and a directory above can be renamed",
	"links, files with other hard links and files with integrity labels of their own stay read-only in the workspace",
	"while a sandbox is open its workspace carries a low label and an entry for the sandbox's SID; files moved out of it keep them",
	"other programs at low integrity can write in the workspace meanwhile",
	"registry keys, pipes and events of other programs at low integrity can be opened",
	"other programs of the user may be ended by a command: integrity levels keep it from writing in them, not from that; pillion itself is kept",
	"a terminate request ends a command at once: Windows has no signal that it could handle",
}
