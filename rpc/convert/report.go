package convert

import (
	"reflect"

	"github.com/pillion-sidecar/pillion/config"
	"github.com/pillion-sidecar/pillion/executor"
	"github.com/pillion-sidecar/pillion/rpc/display"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
	"github.com/pillion-sidecar/pillion/sandbox"
)

// Report is what this machine can enforce.
func Report(r sandbox.Report) protocol.SandboxReport {
	out := protocol.SandboxReport{
		Platform: r.Platform, Kernel: r.Kernel, Rung: r.Rung, ProbedAt: protocol.Stamp(r.ProbedAt), Container: r.Container,
		Modes: map[string]protocol.Enforcement{}, Degraded: missing(r.Degraded),
	}
	for m, e := range r.Modes {
		out.Modes[string(m)] = enforcement(e)
	}
	return out
}

func enforcement(e sandbox.Enforcement) protocol.Enforcement {
	return protocol.Enforcement{
		Available: e.Available, Backend: e.Backend, ViolationReports: e.ViolationReports, Residual: e.Residual,
		FSWrite: e.FSWrite, FSRead: e.FSRead, Network: e.Network,
		ProcessTree: e.ProcessTree, IPC: e.IPC,
	}
}

// Sandbox is what is in force for a command.
func Sandbox(e executor.EffectiveSandbox) protocol.EffectiveSandbox {
	out := protocol.EffectiveSandbox{
		Enforcement: enforcement(e.Enforcement), Mode: e.Mode, Requested: e.Requested,
		NetworkMode: e.Access, Roots: protocol.SandboxRoots{Writable: e.Writable},
	}
	out.Weak = display.Weaknesses(out)
	out.Text = display.Confinement(out)
	return out
}

func missing(list []sandbox.Missing) []protocol.MissingFeature {
	out := make([]protocol.MissingFeature, 0, len(list))
	for _, m := range list {
		out = append(out, protocol.MissingFeature{Feature: m.Feature, Reason: m.Reason, Hint: m.Hint})
	}
	return out
}

// Limits are those that the server runs with: what options can set, by their names, and
// what they can't.
func Limits(l executor.Limits, each sandbox.Limits) protocol.Limits {
	out := protocol.Limits{
		MaxMessageBytes: protocol.MaxMessageBytes, MaxCommands: executor.MaxCommands, MaxSaved: l.MaxSaved,
		MaxPendingApprovals: l.MaxPendingApprovals, AckWaitMs: l.AckWait.Milliseconds(),
	}
	members := map[string]reflect.Value{}
	for v, i := reflect.ValueOf(&out).Elem(), 0; i < v.NumField(); i++ {
		members[v.Type().Field(i).Tag.Get("json")] = v.Field(i)
	}
	config.Config{Limits: l, Sandbox: sandbox.Policy{Limits: each}}.EachLimit(func(name string, n int64) {
		if m, reported := members[name]; reported {
			m.SetInt(n)
		}
	})
	return out
}
