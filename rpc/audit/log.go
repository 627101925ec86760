package audit

import (
	"crypto/rand"
	"errors"
	"os"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/pillion-sidecar/pillion/executor"
	"github.com/pillion-sidecar/pillion/executor/keys"
	"github.com/pillion-sidecar/pillion/guard"
	"github.com/pillion-sidecar/pillion/rpc/display"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
	"github.com/pillion-sidecar/pillion/sandbox"
)

// Log writes what is run and refused to the audit log. The zero audit writes
// nothing. It is the executor's Recorder.
type Log struct {
	file    *logFile // nil: there is no log
	session Line     // its first line, written with the second one
	opened  bool     // guarded by file.mu
}

// New starts the log of a session in dir, "" for none. Nothing is written
// before there is something to tell.
func New(dir, version string, client *protocol.ClientInfo, failed func(error)) *Log {
	if dir == "" {
		return new(Log)
	}
	a := &Log{file: newFile(dir, failed)}
	a.session = Line{Event: "session", Session: "s-" + rand.Text()[:12], Version: version, PID: os.Getpid()}
	if client != nil {
		a.session.Client = cutText(client.Name+" "+client.Version, maxWord)
	}
	return a
}

// Enabled reports whether there is a log.
func (a *Log) Enabled() bool { return a.file != nil }

// write appends one line; a log that fails costs the line and nothing else.
func (a *Log) write(l Line) {
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

func (a *Log) append(l Line) {
	l.Time = protocol.Stamp(time.Now())
	b, err := json.Marshal(l, jsontext.AllowInvalidUTF8(true))
	if err != nil { // strings and numbers only
		a.file.lose(err)
		return
	}
	a.file.append(append(display.EscapeControls(b), '\n'))
}

// Status counts the lines.
func (a *Log) Status() protocol.AuditStatus {
	if a.file == nil {
		return protocol.AuditStatus{}
	}
	written, lost := a.file.counts()
	return protocol.AuditStatus{Enabled: true, Lines: written, Lost: lost}
}

func (a *Log) Close() {
	if a.file != nil {
		a.file.close()
	}
}

// Judged writes a verdict.
func (a *Log) Judged(r executor.Request, cwd string, v guard.Verdict) {
	l := Line{Event: "verdict", ExecID: r.ID, Cwd: cwd, Decision: string(v.Decision), PolicyHash: v.PolicyHash}
	l.text(executor.Text{Command: r.Command, Argv: r.Argv, Commands: r.Commands})
	for _, f := range v.Findings[:min(len(v.Findings), maxList)] {
		found := Finding{RuleID: f.RuleID, Decision: string(f.Decision), Message: clip(f.Message)}
		if len(r.Commands) > 0 {
			found.Index = &f.Source.Index
		}
		l.Findings = append(l.Findings, found)
	}
	a.write(l)
}

// Answered writes what a person said, and what was granted by it.
func (a *Log) Answered(q executor.Question, answer executor.Answer, how executor.Approval, err error) {
	l := Line{Event: "approval", ExecID: q.ExecID, ApprovalID: q.ID, Cwd: q.Cwd, Decision: string(answer.Choice), Message: clip(answer.Message)}
	l.wants(q)
	l.text(executor.Text{Command: q.Command, Argv: q.Argv, Commands: q.Commands})
	var declined *executor.DeclinedError
	switch {
	case errors.As(err, &declined):
		l.Decision, l.By = string(executor.Decline), declined.By
	case err != nil:
		l.Decision = string(executor.Withdraw)
	case answer.Choice == executor.Edit:
		edited := Line{}
		edited.text(executor.Text{Command: answer.Command, Argv: answer.Argv, Commands: answer.Commands})
		l.EditedCommand, l.EditedArgv, l.EditedCommands = edited.Command, edited.Argv, edited.Commands
	case how.GrantID != "":
		l.GrantID = how.GrantID
		a.granted(q, how.GrantID)
	}
	a.write(l)
}

func (a *Log) granted(q executor.Question, id string) {
	l := Line{
		Event: "grant", ExecID: q.ExecID, GrantID: id, Cwd: q.Session.Cwd, RuleIDs: q.Session.RuleIDs,
		Mode: string(q.Session.Mode), Network: string(q.Session.Network), PolicyHash: q.Session.PolicyHash,
	}
	l.wants(q)
	l.text(executor.Text{Command: q.Command, Argv: q.Argv, Commands: q.Commands})
	a.write(l)
}

// wants is what a running command waits for.
func (l *Line) wants(q executor.Question) {
	if q.Wants.Kind == executor.GrantHost {
		l.Host = clip(q.Wants.Value)
	} else if q.Wants.Kind != "" {
		l.Access = clip(string(q.Wants.Kind) + " " + q.Wants.Value)
	}
}

// Revoked writes that a grant was taken back, all of them with "".
func (a *Log) Revoked(id string) { a.write(Line{Event: "revoke", GrantID: id}) }

// Started writes that a process runs.
func (a *Log) Started(r executor.Request, cwd string, s executor.Started, how executor.Approval) {
	l := Line{
		Event: "exec", ExecID: r.ID, Cwd: cwd, PID: s.PID, Mode: string(s.Sandbox.Mode), Network: string(s.Sandbox.Access),
		SandboxName: r.Sandbox.Name, Approval: string(how.Choice), GrantID: how.GrantID, StdinBytes: len(r.Stdin), Terminal: r.Terminal != nil,
	}
	if s.Sandbox.Mode == sandbox.Off { // which holds nothing back
		l.Network = string(sandbox.NetworkAllow)
	}
	l.text(executor.Text{Command: r.Command, Argv: r.Argv, Commands: r.Commands})
	for name := range r.Env {
		l.Env = append(l.Env, cutText(name, maxWord))
	}
	slices.Sort(l.Env)
	l.Env = l.Env[:min(len(l.Env), maxList)]
	a.write(l)
}

// Forwarded writes that a person has given a port of a command.
func (a *Log) Forwarded(id string, port, host int) {
	a.write(Line{Event: "forwarded", ExecID: id, Port: port, HostPort: host})
}

// KeyUsed writes that an ssh key of the user's signs for a command.
func (a *Log) KeyUsed(ids []string, u keys.Use) {
	l := Line{Event: "key", Key: u.Key, Host: clip(u.Host), User: clip(u.User), Hash: u.Hash}
	l.of(ids)
	a.write(l)
}

// LoggedIn writes that git has asked something of a host as the user.
func (a *Log) LoggedIn(ids []string, u executor.Login, user string) {
	l := Line{Event: "login", Host: clip(u.Host), User: clip(user), Path: clip(u.Path), Push: u.Push}
	l.of(ids)
	a.write(l)
}

// of names the commands, one of which it is.
func (l *Line) of(ids []string) {
	if l.ExecIDs = ids[:min(len(ids), maxList)]; len(ids) == 1 {
		l.ExecID, l.ExecIDs = ids[0], nil
	}
}

// Ended writes what the sandbox refused, and how the command ended.
func (a *Log) Ended(r *executor.Result) {
	for _, v := range r.Violations {
		a.write(Line{Event: "violation", ExecID: r.ID, Violation: &Violation{
			Op: v.Op, Path: clip(v.Path), Rule: clip(v.Rule), Process: clip(v.Process), Errno: v.Errno, Count: v.Count, Attribution: v.Attribution,
			Grant: clip(v.Grant),
		}})
	}
	ms := r.Duration.Milliseconds()
	l := Line{
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

// Refused writes why a command was not started.
func (a *Log) Refused(id string, p *protocol.ExecParams, kind, message string) {
	if a.file == nil {
		return
	}
	l := Line{Event: "refused", ExecID: id, Kind: kind, Message: clip(message)}
	l.text(executor.Text{Command: p.Command, Argv: p.Argv, Commands: p.Commands})
	a.write(l)
}
