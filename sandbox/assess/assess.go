package assess

import (
	"errors"
	"slices"

	"github.com/pillion-sidecar/pillion/sandbox/policy"
)

// Facts are what the self-test saw on this machine. Each escape field is true
// when the canary's attempt was refused; a false one means it got through or
// could not be tried, which counts the same.
type Facts struct {
	Rung    string
	Backend []string // mechanisms that installed
	Refused map[string]bool
	Failure *policy.Missing // why no canary could run at all
}

// The canary's attempts, by guarantee. A guarantee is enforced only when every
// one of its attempts was refused.
var (
	AttemptsWrite   = []string{"write", "truncate", "rename", "chmod", "utime", "xattr"}
	AttemptsRead    = []string{"read", "environ"}
	AttemptsNetwork = []string{"tcp", "udp"}
	AttemptsTree    = []string{"signal", "signalThread", "prlimit", "ptrace", "daemon"}
	AttemptsIPC     = []string{"abstract", "unixPath", "shm"}
	AttemptsKernel  = []string{"userns", "ioUring", "mount"}
)

// tried are the attempts of a rung's platform, by guarantee.
func (f Facts) tried() attempted {
	switch {
	case f.Rung == policy.RungSeatbelt:
		return seatbeltAttempts
	case slices.Contains(policy.WindowsRungs, f.Rung):
		return WindowsAttempts
	}
	return attempted{AttemptsWrite, AttemptsRead, AttemptsNetwork, f.tree(), AttemptsIPC, AttemptsKernel}
}

// InWorkspace holds what a canary could do in the workspace against its mode: in one that
// only reads it must not write, and a sandbox of the other is broken.
func (f Facts) InWorkspace(mode policy.Mode) (Facts, error) {
	if mode == policy.ReadOnly && !f.Refused["inside"] {
		f.Refused["write"] = false
	}
	if mode == policy.WorkspaceWrite && f.Refused["inside"] {
		return f, errors.New("the workspace itself is not writable in the sandbox")
	}
	return f, nil
}

// attempted are a canary's attempts, by guarantee.
type attempted struct{ Write, Read, Network, Tree, IPC, Kernel []string }

// tree lists the attempts on processes of Linux. Without Landlock a command may
// signal the threads of its own namespace's PID 1, which ends the command itself: the kernel
// lets nothing outlive it.
func (f Facts) tree() []string {
	if f.Rung != policy.RungNoLandlock {
		return AttemptsTree
	}
	return slices.DeleteFunc(slices.Clone(AttemptsTree), func(a string) bool { return a == "signalThread" })
}

// Open lists the attempts that were not refused.
func (f Facts) Open() []string {
	var out []string
	t := f.tried()
	for _, a := range slices.Concat(t.Write, t.Read, t.Network, t.Tree, t.IPC, t.Kernel) {
		if !f.Refused[a] {
			out = append(out, a)
		}
	}
	return out
}

func (f Facts) level(attempts []string) policy.Level {
	n := 0
	for _, a := range attempts {
		if f.Refused[a] {
			n++
		}
	}
	switch n {
	case len(attempts):
		return policy.LevelEnforced
	case 0:
		return policy.LevelNone
	}
	return policy.LevelPartial
}

// Of turns the self-test's facts into what a policy gets. It is pure, so
// every machine's answer can be tested on any machine.
func Of(p policy.Policy, f Facts) policy.Enforcement {
	if f.Failure != nil {
		return policy.Enforcement{FSWrite: policy.LevelNone, FSRead: policy.LevelNone, Network: policy.LevelNone, ProcessTree: policy.LevelNone, IPC: policy.LevelNone}
	}
	if p.Mode == policy.Off {
		tree := policy.LevelPartial
		if slices.Contains(f.Backend, policy.BackendJob) {
			tree = f.level(f.tried().Tree)
		}
		return policy.Enforcement{
			Available: true, Backend: f.Backend,
			FSWrite: policy.LevelNone, FSRead: policy.LevelNone, Network: policy.LevelNone, ProcessTree: tree, IPC: policy.LevelNone,
			Residual: []string{"nothing is confined; only the process tree is owned and ended"},
		}
	}
	t := f.tried()
	e := policy.Enforcement{
		Available: true, Backend: f.Backend,
		FSWrite: f.level(t.Write), FSRead: f.level(t.Read), Network: f.level(t.Network),
		ProcessTree: f.level(t.Tree), IPC: f.level(t.IPC), ViolationReports: f.reports(),
		Residual: append([]string(nil), residuals[f.Rung]...),
	}
	if f.Rung == policy.RungSeatbelt {
		e.ProcessTree = f.seatbeltTree()
		e.Residual = append(e.Residual, f.seen()...)
	}
	e.Residual = append(e.Residual, limitResiduals(f.Backend)...)
	if f.level(t.Kernel) != policy.LevelEnforced && e.FSWrite == policy.LevelEnforced {
		e.FSWrite = policy.LevelPartial // a mount or a user namespace undoes every path rule
	}
	if p.Reads == policy.ReadsAll {
		e.FSRead = policy.LevelNone
		e.Residual = append(e.Residual, "every file of the user can be read, secrets included")
	}
	if p.Network == policy.NetworkAllow {
		e.Network = policy.LevelNone
		e.Residual = append(e.Residual, "the host's network is reachable: its loopback services and metadata addresses too")
	}
	if p.Network == policy.NetworkProxy {
		e.Residual = append(e.Residual, "a host that the proxy allows gets whatever a command sends it")
		e.Residual = append(e.Residual, f.proxyResiduals()...)
	}
	e.Residual = append(e.Residual, socketResiduals(p, f.Rung)...)
	e.Residual = append(e.Residual, portResiduals(p, f.Rung)...)
	e.Residual = append(e.Residual, loginResiduals(p)...)
	return e
}

// reports says that what refuses a call also reports it. Elsewhere they are inferred.
func (f Facts) reports() bool {
	return f.Rung != policy.RungSeatbelt && !slices.Contains(f.Backend, policy.BackendJob)
}

// Lacking lists the guarantees a policy needs and does not get. Network and
// reads count only where the policy asked for them to be confined.
func Lacking(p policy.Policy, e policy.Enforcement) []policy.Missing {
	if p.Mode == policy.Off {
		return nil
	}
	var out []policy.Missing
	need := func(feature string, l policy.Level, asked bool) {
		if asked && l != policy.LevelEnforced {
			out = append(out, policy.Missing{
				Feature: feature, Reason: "this machine gives it " + string(l) + ", not enforced",
				Hint: "run `pillion doctor`; sandbox.require \"bestEffort\" runs anyway and reports what is missing",
			})
		}
	}
	need("fsWrite", e.FSWrite, true)
	need("processTree", e.ProcessTree, !straysConfined(e))
	need("fsRead", e.FSRead, p.Reads == policy.ReadsPrivate)
	need("network", e.Network, p.Network != policy.NetworkAllow)
	return out
}
