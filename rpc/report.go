package rpc

import (
	"time"

	"github.com/pillion-sidecar/pillion/executor"
	"github.com/pillion-sidecar/pillion/sandbox"
)

// stamp is how times are written on the wire.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05.000Z07:00")
}

func sandboxReport(r sandbox.Report) SandboxReport {
	out := SandboxReport{
		Platform: r.Platform, Kernel: r.Kernel, Rung: r.Rung, ProbedAt: stamp(r.ProbedAt), Container: r.Container,
		Modes: map[string]Enforcement{}, Degraded: missing(r.Degraded),
	}
	for m, e := range r.Modes {
		out.Modes[string(m)] = enforcement(e)
	}
	return out
}

func enforcement(e sandbox.Enforcement) Enforcement {
	return Enforcement{
		Available: e.Available, Backend: e.Backend, ViolationReports: e.ViolationReports, Residual: e.Residual,
		FSWrite: string(e.FSWrite), FSRead: string(e.FSRead), Network: string(e.Network),
		ProcessTree: string(e.ProcessTree), IPC: string(e.IPC),
	}
}

func effectiveSandbox(e executor.EffectiveSandbox) EffectiveSandbox {
	return EffectiveSandbox{
		Enforcement: enforcement(e.Enforcement), Mode: string(e.Mode), Requested: string(e.Requested),
		NetworkMode: string(e.Access), Roots: SandboxRoots{Writable: e.Writable},
	}
}

func missing(list []sandbox.Missing) []MissingFeature {
	out := make([]MissingFeature, 0, len(list))
	for _, m := range list {
		out = append(out, MissingFeature{Feature: m.Feature, Reason: m.Reason, Hint: m.Hint})
	}
	return out
}

func limits(l executor.Limits, each sandbox.Limits) Limits {
	return Limits{
		MaxMessageBytes: MaxMessageBytes, MaxCommandBytes: l.MaxCommandBytes, MaxCommands: executor.MaxCommands, MaxConcurrent: l.MaxConcurrent,
		MaxQueued: l.MaxQueued, MaxChunkBytes: l.MaxChunkBytes, StreamMaxBytes: l.StreamMaxBytes,
		SpoolMaxBytes: l.SpoolMaxBytes, SpoolTotalBytes: l.SpoolTotalBytes,
		RetentionMs: l.Retention.Milliseconds(), RetainedExecs: l.RetainedExecs, MaxSaved: l.MaxSaved,
		MaxPendingApprovals: l.MaxPendingApprovals, AckWaitMs: l.AckWait.Milliseconds(),
		MaxProcesses: each.Processes, MaxMemoryBytes: each.Memory, MaxFileBytes: each.FileSize, MaxOpenFiles: each.OpenFiles,
		MaxCPUSeconds: int64(each.CPU / time.Second), MinFreeDiskBytes: each.FreeDisk, MaxTmpBytes: each.Tmp,
	}
}
