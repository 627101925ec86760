package rpc

import (
	"strings"

	"github.com/pillion-sidecar/pillion/executor"
	"github.com/pillion-sidecar/pillion/sandbox"
)

func execResult(r *executor.Result) ExecResult {
	out := ExecResult{
		ExecID: r.ID, PID: r.PID, ExitCode: r.ExitCode, Reason: string(r.Reason),
		Cancelled: r.Cancelled, TimedOut: r.TimedOut, DurationMs: r.Duration.Milliseconds(),
		StartedAt: stamp(r.StartedAt), Summary: r.Summary, Output: map[string]StreamOutput{},
		Background: []BackgroundProcess{}, Violations: []Violation{}, Sandbox: effectiveSandbox(r.Sandbox),
		ResourceUsage: ResourceUsage{
			UserMs: r.User.Milliseconds(), SystemMs: r.System.Milliseconds(), MaxRSSBytes: r.MaxRSS,
		},
		Guard: execVerdict(r.Verdict), Approval: execApproval(r.Approval), PolicyRevision: r.Revision,
	}
	for _, s := range r.Steps {
		out.Steps = append(out.Steps, execStep(s))
	}
	if !r.Expires.IsZero() {
		out.Spool = &Spool{ExecID: r.ID, ExpiresAt: stamp(r.Expires)}
	}
	if r.Saved != nil {
		saved := savedOutput(*r.Saved)
		out.Saved = &saved
	}
	if r.Signal != "" {
		out.Signal = &r.Signal
	}
	for name, s := range r.Output {
		out.Output[string(name)] = streamOutput(s)
	}
	for _, b := range r.Background {
		out.Background = append(out.Background, BackgroundProcess{PID: b.PID, Name: b.Name, Fate: b.Fate})
	}
	for _, v := range r.Violations {
		out.Violations = append(out.Violations, violation(v))
	}
	out.ViolationsTotal = r.Violated
	return out
}

func execStep(s executor.Step) ExecStep {
	out := ExecStep{
		Command: s.Command, ExitCode: s.ExitCode, Reason: string(s.Reason), DurationMs: s.Duration.Milliseconds(),
		Output: map[string]ByteRange{}, Error: display(s.Error),
	}
	if s.Signal != "" {
		out.Signal = &s.Signal
	}
	for name, r := range s.Output {
		out.Output[string(name)] = ByteRange(r)
	}
	return out
}

// violation says of what could not be reached where it is, and of all else which
// file.
func violation(v sandbox.Violation) Violation {
	out := Violation{
		Op: v.Op, Errno: v.Errno, Process: display(v.Process), Rule: v.Rule, Grant: v.Grant, Count: v.Count, Attribution: v.Attribution,
	}
	what := strings.ToValidUTF8(v.Path, "\uFFFD")
	if v.Op == "connect" || v.Op == "resolve" {
		out.Address = display(what)
	} else {
		out.Path = what
	}
	return out
}

func streamOutput(s executor.StreamResult) StreamOutput {
	out := StreamOutput{
		TotalBytes: s.TotalBytes, StreamedBytes: s.StreamedBytes, InlineBytes: s.InlineBytes,
		DroppedBytes: s.DroppedBytes, Truncated: s.Truncated, EOF: s.EOF,
	}
	switch {
	case s.Inline == nil:
	case s.InlineText:
		text := string(s.Inline)
		out.Text = &text
	default:
		out.Data = s.Inline
	}
	for _, g := range s.Gaps {
		out.Gaps = append(out.Gaps, ByteRange{From: g.From, To: g.To})
	}
	return out
}
