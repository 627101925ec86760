package rpc

import (
	"crypto/rand"
	"errors"
	"os"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/jsonrpc2"

	"github.com/pillion-sidecar/pillion/executor"
	"github.com/pillion-sidecar/pillion/guard"
	"github.com/pillion-sidecar/pillion/sandbox"
)

// audit writes what is run and refused to the audit log. The zero audit writes
// nothing. It is the executor's Recorder.
type audit struct {
	file    *auditFile // nil: there is no log
	session auditLine  // its first line, written with the second one
	opened  bool       // guarded by file.mu
}

// newAudit starts the log of a session in dir, "" for none. Nothing is written
// before there is something to tell.
func newAudit(dir, version string, client *ClientInfo, failed func(error)) *audit {
	if dir == "" {
		return new(audit)
	}
	a := &audit{file: newAuditFile(dir, failed)}
	a.session = auditLine{Event: "session", Session: "s-" + rand.Text()[:12], Version: version, PID: os.Getpid()}
	if client != nil {
		a.session.Client = cutText(client.Name+" "+client.Version, maxAuditWord)
	}
	return a
}

// write appends one line; a log that fails costs the line and nothing else.
func (a *audit) write(l auditLine) {
	if a.file == nil {
		return
	}
	a.file.mu.Lock()
	defer a.file.mu.Unlock()
	if !a.opened {
		a.opened = true
		a.append(a.session)
	}
	l.Session = a.session.Session
	a.append(l)
}

func (a *audit) append(l auditLine) {
	l.Time = stamp(time.Now())
	b, err := json.Marshal(l, jsontext.AllowInvalidUTF8(true))
	if err != nil { // strings and numbers only
		a.file.lose(err)
		return
	}
	a.file.append(append(Inert(b), '\n'))
}

func (a *audit) status() AuditStatus {
	if a.file == nil {
		return AuditStatus{}
	}
	written, lost := a.file.counts()
	return AuditStatus{Enabled: true, Lines: written, Lost: lost}
}

func (a *audit) close() {
	if a.file != nil {
		a.file.close()
	}
}

// Judged writes a verdict.
func (a *audit) Judged(r executor.Request, cwd string, v guard.Verdict) {
	l := auditLine{Event: "verdict", ExecID: r.ID, Cwd: cwd, Decision: string(v.Decision), PolicyHash: v.PolicyHash}
	l.text(executor.Text{Command: r.Command, Argv: r.Argv, Commands: r.Commands})
	for _, f := range v.Findings[:min(len(v.Findings), maxAuditList)] {
		found := auditFinding{RuleID: f.RuleID, Decision: string(f.Decision), Message: auditText(f.Message)}
		if len(r.Commands) > 0 {
			found.Index = &f.Source.Index
		}
		l.Findings = append(l.Findings, found)
	}
	a.write(l)
}

// Answered writes what a person said, and what was granted by it.
func (a *audit) Answered(q executor.Question, answer executor.Answer, how executor.Approval, err error) {
	l := auditLine{Event: "approval", ExecID: q.ExecID, ApprovalID: q.ID, Cwd: q.Cwd, Host: auditText(q.Host), Decision: string(answer.Choice), Message: auditText(answer.Message)}
	l.text(executor.Text{Command: q.Command, Argv: q.Argv, Commands: q.Commands})
	var declined *executor.DeclinedError
	switch {
	case errors.As(err, &declined):
		l.Decision, l.By = string(executor.Decline), declined.By
	case err != nil:
		l.Decision = string(executor.Withdraw)
	case answer.Choice == executor.Edit:
		edited := auditLine{}
		edited.text(executor.Text{Command: answer.Command, Argv: answer.Argv, Commands: answer.Commands})
		l.EditedCommand, l.EditedArgv, l.EditedCommands = edited.Command, edited.Argv, edited.Commands
	case how.GrantID != "":
		l.GrantID = how.GrantID
		a.granted(q, how.GrantID)
	}
	a.write(l)
}

func (a *audit) granted(q executor.Question, id string) {
	l := auditLine{
		Event: "grant", ExecID: q.ExecID, GrantID: id, Host: auditText(q.Session.Host), Cwd: q.Session.Cwd, RuleIDs: q.Session.RuleIDs,
		Mode: string(q.Session.Mode), Network: string(q.Session.Network), PolicyHash: q.Session.PolicyHash,
	}
	l.text(executor.Text{Command: q.Command, Argv: q.Argv, Commands: q.Commands})
	a.write(l)
}

// revoked writes that a grant was taken back, all of them with "".
func (a *audit) revoked(id string) { a.write(auditLine{Event: "revoke", GrantID: id}) }

// Started writes that a process runs.
func (a *audit) Started(r executor.Request, cwd string, s executor.Started, how executor.Approval) {
	l := auditLine{
		Event: "exec", ExecID: r.ID, Cwd: cwd, PID: s.PID, Mode: string(s.Sandbox.Mode), Network: string(s.Sandbox.Access),
		SandboxName: r.Sandbox.Name, Approval: string(how.Choice), GrantID: how.GrantID, StdinBytes: len(r.Stdin), Terminal: r.Terminal != nil,
	}
	if s.Sandbox.Mode == sandbox.Off { // which holds nothing back
		l.Network = string(sandbox.NetworkAllow)
	}
	l.text(executor.Text{Command: r.Command, Argv: r.Argv, Commands: r.Commands})
	for name := range r.Env {
		l.Env = append(l.Env, cutText(name, maxAuditWord))
	}
	slices.Sort(l.Env)
	l.Env = l.Env[:min(len(l.Env), maxAuditList)]
	a.write(l)
}

// Ended writes what the sandbox refused, and how the command ended.
func (a *audit) Ended(r *executor.Result) {
	for _, v := range r.Violations {
		a.write(auditLine{Event: "violation", ExecID: r.ID, Violation: &auditViolation{
			Op: v.Op, Path: auditText(v.Path), Rule: auditText(v.Rule), Process: auditText(v.Process), Errno: v.Errno, Count: v.Count, Attribution: v.Attribution,
		}})
	}
	ms := r.Duration.Milliseconds()
	l := auditLine{
		Event: "end", ExecID: r.ID, ExitCode: r.ExitCode, Signal: r.Signal, Reason: string(r.Reason), DurationMs: &ms, Violations: r.Violated,
	}
	for _, s := range r.Steps {
		l.Steps = append(l.Steps, auditStep{s.ExitCode, s.Signal, string(s.Reason)})
	}
	for _, b := range r.Background {
		if b.Fate == executor.FateLeft {
			l.Left++
		}
	}
	for name, s := range r.Output {
		if l.OutputBytes == nil {
			l.OutputBytes = map[string]int64{}
		}
		l.OutputBytes[string(name)] = s.TotalBytes
	}
	a.write(l)
}

// refused writes that a command was not started, and returns why.
func (a *audit) refused(id string, p *ExecParams, err error) error {
	if a.file == nil {
		return err
	}
	l := auditLine{Event: "refused", ExecID: id, Kind: "internal"}
	l.text(executor.Text{Command: p.Command, Argv: p.Argv, Commands: p.Commands})
	var wire *jsonrpc2.Error
	if errors.As(err, &wire) {
		data := new(ErrorData)
		_ = decode(wire.Data, data)
		l.Kind, l.Message = data.Kind, auditText(wire.Message)
	}
	a.write(l)
	return err
}
