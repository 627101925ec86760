package convert

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/pillion-sidecar/pillion/config"
	"github.com/pillion-sidecar/pillion/executor"
	"github.com/pillion-sidecar/pillion/rpc/display"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
	"github.com/pillion-sidecar/pillion/sandbox"
)

// maxLost is more than anybody reads.
const maxLost = 64

// Result is how a command ended.
func Result(r *executor.Result) protocol.ExecResult {
	out := protocol.ExecResult{
		ExecID: r.ID, PID: r.PID, ExitCode: r.ExitCode, Reason: r.Reason,
		Cancelled: r.Cancelled, TimedOut: r.TimedOut, DurationMs: r.Duration.Milliseconds(),
		StartedAt: protocol.Stamp(r.StartedAt), Summary: r.Summary, Output: map[string]protocol.StreamOutput{},
		Background: []protocol.BackgroundProcess{}, Violations: []protocol.Violation{}, Sandbox: Sandbox(r.Sandbox),
		ResourceUsage: protocol.ResourceUsage{
			UserMs: r.User.Milliseconds(), SystemMs: r.System.Milliseconds(), MaxRSSBytes: r.MaxRSS,
		},
		Guard: execVerdict(r.Verdict), Approval: execApproval(r.Approval), PolicyRevision: r.Revision, Effects: effects(r.Effects),
	}
	for _, s := range r.Steps {
		out.Steps = append(out.Steps, execStep(s))
	}
	if !r.Expires.IsZero() {
		out.Spool = &protocol.Spool{ExecID: r.ID, ExpiresAt: protocol.Stamp(r.Expires)}
	}
	if r.Saved != nil {
		saved := SavedOutput(*r.Saved)
		out.Saved = &saved
	}
	if r.Signal != "" {
		out.Signal = &r.Signal
	}
	for name, s := range r.Output {
		out.Output[string(name)] = streamOutput(s)
	}
	for _, b := range r.Background {
		out.Background = append(out.Background, protocol.BackgroundProcess{PID: b.PID, Name: b.Name, Fate: protocol.Fate(b.Fate)})
	}
	for _, v := range r.Violations {
		out.Violations = append(out.Violations, Violation(v))
	}
	out.ViolationsTotal = r.Violated
	for _, name := range r.Lost[:min(len(r.Lost), maxLost)] {
		out.Lost = append(out.Lost, "~/"+strings.ToValidUTF8(filepath.ToSlash(name), "\uFFFD"))
	}
	out.Display = display.Result(out, nil)
	return out
}

func execStep(s executor.Step) protocol.ExecStep {
	out := protocol.ExecStep{
		Command: s.Command, ExitCode: s.ExitCode, Reason: s.Reason, DurationMs: s.Duration.Milliseconds(),
		Output: map[string]protocol.ByteRange{}, Error: display.Line(s.Error),
	}
	if s.Signal != "" {
		out.Signal = &s.Signal
	}
	for name, r := range s.Output {
		out.Output[string(name)] = protocol.ByteRange(r)
	}
	return out
}

// Violation says of what could not be reached where it is, and of all else which
// file.
func Violation(v sandbox.Violation) protocol.Violation {
	out := protocol.Violation{
		Op: v.Op, Errno: v.Errno, Process: display.Line(v.Process), Rule: v.Rule, Count: v.Count,
		Attribution: protocol.Attribution(v.Attribution),
	}
	if why, never := strings.CutPrefix(v.Grant, "none: "); never {
		out.Never = why
	} else {
		out.Grant = v.Grant
	}
	out.Allow = allow(v)
	what := strings.ToValidUTF8(v.Path, "\uFFFD")
	if v.Op == "connect" || v.Op == "resolve" {
		out.Address = display.Line(what)
	} else {
		out.Path = what
	}
	return out
}

// grantKinds are the settings of which a person can give one value for one run.
var grantKinds = map[string]executor.GrantKind{
	"policy.network.allow": executor.GrantHost, "policy.readable": executor.GrantRead, "sandbox.writable": executor.GrantWrite,
	"policy.network.sockets": executor.GrantSocket, "policy.network.credentials": executor.GrantCredentials,
}

const limitKeys = "limits."

// More says of each limit that was too little what would be enough: twice as much as was in force.
// What a file of the workspace has set is raised there.
func More(list []sandbox.Violation, had sandbox.Limits, c config.Config, files []*config.WorkspaceFile) {
	for i := range list {
		name, is := strings.CutPrefix(list[i].Grant, limitKeys)
		if !is {
			continue
		}
		n, file := c.More(name, had, files)
		if list[i].Grant += fmt.Sprintf(" %d", n); file != "" {
			list[i].Grant = fmt.Sprintf("none: to allow it, change %s in %s", name, file)
		}
	}
}

// allow is what lets a command through and nothing else, nil where a click can't give it.
func allow(v sandbox.Violation) *protocol.AccessGrant {
	setting, quoted, _ := strings.Cut(v.Grant, " ")
	if name, is := strings.CutPrefix(setting, limitKeys); is && quoted != "" {
		return &protocol.AccessGrant{Kind: executor.GrantLimit, Value: name + "=" + quoted}
	}
	value, err := strconv.Unquote(quoted)
	kind := grantKinds[setting]
	given := v.Rule == "outside" || v.Rule == "network" || v.Rule == "not listed" || v.Rule == "credentials" || v.Rule == "socket" && !sandbox.ActsForTheUser(value)
	if err != nil || kind == "" || !given {
		return nil
	}
	return &protocol.AccessGrant{Kind: kind, Value: value}
}

func streamOutput(s executor.StreamResult) protocol.StreamOutput {
	out := protocol.StreamOutput{
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
		out.Gaps = append(out.Gaps, protocol.ByteRange{From: g.From, To: g.To})
	}
	return out
}
