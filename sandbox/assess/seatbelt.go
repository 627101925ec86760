package assess

import (
	"slices"

	"github.com/pillion-sidecar/pillion/sandbox/policy"
)

// seatbeltAttempts are those that exist on macOS, under the names they have on Linux where
// they are the same. In the workspace itself the protected names are tried, as a write, in
// another case, as the end of a rename, by a second name and by a swap. orphan is a daemon
// whose parents are all gone; setuid is a program that would run as root; mach is a
// service of the system that acts for any program that asks.
//
// environ is among ipc, which a policy does not require: the kernel gives arguments and
// environments to every process of the same user, and no rule of a profile is asked
// (kern.procargs2). It takes no file, and where the network is denied it leads nowhere, so
// it is named and refuses no command.
var seatbeltAttempts = attempted{
	Write:   append(slices.Clone(AttemptsWrite), "protected", "protectedCase", "protectedRename", "protectedLink", "protectedSwap"),
	Read:    []string{"read"},
	Network: AttemptsNetwork,
	Tree:    []string{"signal", "daemon", "setuid", AttemptOrphan},
	IPC:     []string{"unixPath", "shm", "mach", AttemptEnviron},
}

// AttemptOrphan and AttemptEnviron are attempts that only a Mac's canary makes.
const (
	AttemptOrphan  = "orphan"
	AttemptEnviron = "environ"
)

// seatbeltTree is partial only in one way: a process that left its session after all
// its parents had ended was not found.
func (f Facts) seatbeltTree() policy.Level {
	switch {
	case f.level(seatbeltAttempts.Tree) == policy.LevelEnforced:
		return policy.LevelEnforced
	case slices.ContainsFunc(seatbeltAttempts.Tree, func(a string) bool { return a != AttemptOrphan && !f.Refused[a] }):
		return policy.LevelNone
	}
	return policy.LevelPartial
}

// straysConfined says that a process tree which is not enforced serves all the same: on
// macOS, where only such a stray is missed. A sandbox there is inherited and never left,
// so a stray can write, read and reach what its command could and no more: a promise about
// files and the network that is enforced holds for it, too. The loss is that its command's
// end is its end. On Linux such a stray is not confined, and partial is refused.
func straysConfined(e policy.Enforcement) bool {
	return e.ProcessTree == policy.LevelPartial && slices.Contains(e.Backend, policy.BackendSeatbelt)
}

// seen are the residuals that one machine has and another has not.
func (f Facts) seen() []string {
	var all []string
	if !f.Refused[AttemptOrphan] {
		all = append(all, "a process that leaves its session when its parents are gone may outlive its command; it stays confined as the command was")
	}
	if !f.Refused[AttemptEnviron] {
		all = append(all, "the arguments and environments of your other programs can be read, and the secrets that are in them")
	}
	return all
}

// proxyResiduals: the proxy's port is on the loopback of all. A program that is not
// confined reaches nothing by it that is out of its reach otherwise.
func (f Facts) proxyResiduals() []string {
	if f.Rung != policy.RungSeatbelt {
		return nil
	}
	return []string{"any program of this machine can connect to the proxy of a sandbox, and ask it for a host in the name of its commands"}
}

var seatbeltResiduals = []string{
	byName,
	"git init, git clone, git worktree add and commits in submodules fail in the workspace: nothing could tell their settings from an attacker's",
	"hard links can't be made; programs copy instead",
	"names, sizes and times of files outside can be seen (stat), not their contents",
	"process ids and names of other processes can be seen",
	"POSIX semaphores of other programs can be used by those who know their names",
	"TCP and UDP sockets of a command's own are missing where the network is denied, loopback too; UNIX sockets work in the private home and TMPDIR",
	"programs with set-user-id, such as ps and sudo, don't run",
	"sandbox-exec, which Apple calls deprecated, is what confines; that it still does is tried at every start",
}

// SeatbeltFacts is what a macOS in good health answers: every attempt is refused but
// one. It is for documents and tests; what a machine does is its own canary's to say.
func SeatbeltFacts() Facts {
	f := Facts{Rung: policy.RungSeatbelt, Backend: []string{policy.BackendSeatbelt}, Refused: map[string]bool{}}
	t := seatbeltAttempts
	for _, a := range slices.Concat(t.Write, t.Read, t.Network, t.Tree, t.IPC) {
		f.Refused[a] = a != AttemptEnviron
	}
	return f
}
