package sandbox

import (
	"errors"
	"slices"
)

// facts are what the self-test saw on this machine. Each escape field is true
// when the canary's attempt was refused; a false one means it got through or
// could not be tried, which counts the same.
type facts struct {
	rung    string
	backend []string // mechanisms that installed
	refused map[string]bool
	failure *Missing // why no canary could run at all
}

// The canary's attempts, by guarantee. A guarantee is enforced only when every
// one of its attempts was refused.
var (
	attemptsWrite   = []string{"write", "truncate", "rename", "chmod", "utime", "xattr"}
	attemptsRead    = []string{"read", "environ"}
	attemptsNetwork = []string{"tcp", "udp"}
	attemptsTree    = []string{"signal", "signalThread", "prlimit", "ptrace", "daemon"}
	attemptsIPC     = []string{"abstract", "unixPath", "shm"}
	attemptsKernel  = []string{"userns", "ioUring", "mount"}
)

// tried are the attempts of a rung's platform, by guarantee.
func (f facts) tried() attempted {
	switch {
	case f.rung == RungSeatbelt:
		return seatbeltAttempts
	case slices.Contains(windowsRungs, f.rung):
		return windowsAttempts
	}
	return attempted{attemptsWrite, attemptsRead, attemptsNetwork, f.tree(), attemptsIPC, attemptsKernel}
}

// inWorkspace holds what a canary could do in the workspace against its mode: nobody
// writes there in one that only reads, and a sandbox of the other is broken.
func (f facts) inWorkspace(mode Mode) (facts, error) {
	if mode == ReadOnly && !f.refused["inside"] {
		f.refused["write"] = false
	}
	if mode == WorkspaceWrite && f.refused["inside"] {
		return f, errors.New("the workspace itself is not writable in the sandbox")
	}
	return f, nil
}

// attempted are a canary's attempts, by guarantee.
type attempted struct{ write, read, network, tree, ipc, kernel []string }

// tree lists the attempts on processes of Linux. Without Landlock a command may
// signal the threads of its own namespace's PID 1, which ends the command itself: the kernel
// lets nothing outlive it.
func (f facts) tree() []string {
	if f.rung != RungNoLandlock {
		return attemptsTree
	}
	return slices.DeleteFunc(slices.Clone(attemptsTree), func(a string) bool { return a == "signalThread" })
}

// open lists the attempts that were not refused.
func (f facts) open() []string {
	var out []string
	t := f.tried()
	for _, a := range slices.Concat(t.write, t.read, t.network, t.tree, t.ipc, t.kernel) {
		if !f.refused[a] {
			out = append(out, a)
		}
	}
	return out
}

func (f facts) level(attempts []string) Level {
	n := 0
	for _, a := range attempts {
		if f.refused[a] {
			n++
		}
	}
	switch n {
	case len(attempts):
		return LevelEnforced
	case 0:
		return LevelNone
	}
	return LevelPartial
}

// assess turns the self-test's facts into what a policy gets. It is pure, so
// every machine's answer can be tested on any machine.
func assess(p Policy, f facts) Enforcement {
	if f.failure != nil {
		return Enforcement{FSWrite: LevelNone, FSRead: LevelNone, Network: LevelNone, ProcessTree: LevelNone, IPC: LevelNone}
	}
	if p.Mode == Off {
		tree := LevelPartial
		if slices.Contains(f.backend, backendJob) {
			tree = f.level(f.tried().tree)
		}
		return Enforcement{
			Available: true, Backend: f.backend,
			FSWrite: LevelNone, FSRead: LevelNone, Network: LevelNone, ProcessTree: tree, IPC: LevelNone,
			Residual: []string{"nothing is confined; only the process tree is owned and ended"},
		}
	}
	t := f.tried()
	e := Enforcement{
		Available: true, Backend: f.backend,
		FSWrite: f.level(t.write), FSRead: f.level(t.read), Network: f.level(t.network),
		ProcessTree: f.level(t.tree), IPC: f.level(t.ipc), ViolationReports: f.reports(),
		Residual: append([]string(nil), residuals[f.rung]...),
	}
	if f.rung == RungSeatbelt {
		e.ProcessTree = f.seatbeltTree()
		e.Residual = append(e.Residual, f.seen()...)
	}
	e.Residual = append(e.Residual, limitResiduals(f.backend)...)
	if f.level(t.kernel) != LevelEnforced && e.FSWrite == LevelEnforced {
		e.FSWrite = LevelPartial // a mount or a user namespace undoes every path rule
	}
	if p.Reads == ReadsAll {
		e.FSRead = LevelNone
		e.Residual = append(e.Residual, "every file of the user can be read, secrets included")
		if ownNamespaces(f.rung) {
			e.Residual = append(e.Residual, "a program outside that listens on a socket file can be reached, except in /run, /tmp and the places of known secrets")
		}
	}
	if p.Network == NetworkAllow {
		e.Network = LevelNone
		e.Residual = append(e.Residual, "the host's network is reachable: its loopback services and metadata addresses too")
	}
	if p.Network == NetworkProxy {
		e.Residual = append(e.Residual, "a host that the proxy allows gets whatever a command sends it")
		e.Residual = append(e.Residual, f.proxyResiduals()...)
	}
	e.Residual = append(e.Residual, p.socketResiduals(f.rung)...)
	return e
}

// reports says that refusals are told by what refuses. Elsewhere they are inferred.
func (f facts) reports() bool {
	return f.rung != RungSeatbelt && !slices.Contains(f.backend, backendJob)
}

// missing lists the guarantees a policy needs and does not get. Network and
// reads count only where the policy asked for them to be confined.
func (p Policy) missing(e Enforcement) []Missing {
	if p.Mode == Off {
		return nil
	}
	var out []Missing
	need := func(feature string, l Level, asked bool) {
		if asked && l != LevelEnforced {
			out = append(out, Missing{
				Feature: feature, Reason: "this machine gives it " + string(l) + ", not enforced",
				Hint: "run `pillion doctor`; sandbox.require \"bestEffort\" runs anyway and reports what is missing",
			})
		}
	}
	need("fsWrite", e.FSWrite, true)
	need("processTree", e.ProcessTree, !e.straysConfined())
	need("fsRead", e.FSRead, p.Reads == ReadsPrivate)
	need("network", e.Network, p.Network != NetworkAllow)
	return out
}
