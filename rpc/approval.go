package rpc

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"github.com/pillion-sidecar/pillion/executor"
)

// approver is how this client's user is asked, nil if not at all. Only a client
// that said so is sent requests: one that doesn't answer them would hold every
// such command until it expires.
func (s *server) approver(byMessage bool) executor.Approver {
	switch {
	case s.client.Exec.Approval:
		return asker{s.asks, s.log}
	case byMessage:
		return messenger{s.asks, s.log}
	}
	return nil
}

// asker asks by exec/requestApproval.
type asker struct {
	calls *calls
	log   *slog.Logger
}

// Approve is an executor.Approver's.
func (a asker) Approve(ctx context.Context, q executor.Question) executor.Answer {
	r, ok := a.calls.do(ctx, "exec/requestApproval", approvalParams(q))
	answer := executor.Answer{}
	if ok {
		answer = approvalAnswer(r)
	}
	a.log.Info("approval", "exec", q.ExecID, "approval", q.ID, "answered", ok, "decision", answer.Choice, "by", answer.By)
	return answer
}

// approvalAnswer reads an answer. Whether it was offered is the executor's to
// say.
func approvalAnswer(r reply) executor.Answer {
	decline := func(by string) executor.Answer { return executor.Answer{Choice: executor.Decline, By: by} }
	switch {
	case r.failed && r.code == CodeMethodNotFound:
		return decline(executor.ByUnsupported)
	case r.failed:
		return decline(executor.ByClient)
	case r.malformed:
		return decline(executor.ByMalformed)
	}
	p := new(ApprovalResult)
	if bad := decodeStrict(r.result, p, never); bad != nil {
		return decline(executor.ByMalformed)
	}
	choice := executor.Choice(p.Decision)
	switch choice {
	case executor.Accept, executor.AcceptForSession, executor.Decline, executor.Withdraw, executor.Edit:
	default:
		return decline(executor.ByMalformed)
	}
	// A text that comes with "accept" is one that somebody has seen and that would
	// not run.
	if edited := p.Command != "" || p.Argv != nil || p.Commands != nil; edited != (choice == executor.Edit) {
		return decline(executor.ByMalformed)
	}
	return executor.Answer{Choice: choice, Command: p.Command, Argv: p.Argv, Commands: p.Commands, Message: p.Message}
}

func approvalParams(q executor.Question) ApprovalParams {
	p := ApprovalParams{
		ApprovalID: q.ID, ExecID: q.ExecID, Description: display(q.Description), Reason: "guard",
		// Never the description: whoever sent the command chose it.
		Title: "Run " + display(questionText(q).String()) + "?",
		Subject: ApprovalSubject{
			Type: "command", Command: q.Command, Argv: q.Argv, Commands: q.Commands, IgnoreErrors: q.Ignore, Shell: q.Shell, Cwd: q.Cwd, Stdin: q.Input, Open: q.InputOpen,
			Sandbox: effectiveSandbox(q.Sandbox), Network: string(q.Sandbox.Access),
		},
		Findings: shownFindings(findings(q.Verdict.Findings)), ExpiresAt: stamp(q.Expires),
	}
	if q.Host != "" {
		p.Reason, p.Subject.Type, p.Subject.Host = "network", "host", q.Host
		p.Title = hostTitle(q)
	}
	for _, name := range q.Env {
		p.Subject.Env = append(p.Subject.Env, display(name))
	}
	for _, c := range q.Choices {
		p.AvailableDecisions = append(p.AvailableDecisions, string(c))
	}
	if q.Session != nil {
		rule := sessionRule(*q.Session)
		p.SessionRule = &rule
	}
	return p
}

// approvalOffer is the question to a client that puts it to a person itself.
func approvalOffer(o *executor.Offer) *ApprovalOffer {
	if o == nil {
		return nil
	}
	p := approvalParams(o.Question)
	return &ApprovalOffer{
		State: o.State, Title: p.Title, Subject: p.Subject, AvailableDecisions: p.AvailableDecisions,
		SessionRule: p.SessionRule, ExpiresAt: p.ExpiresAt,
	}
}

func questionText(q executor.Question) executor.Text {
	return executor.Text{Command: q.Command, Argv: q.Argv, Commands: q.Commands}
}

// shownFindings are findings whose texts a person reads: they quote the command.
func shownFindings(list []Finding) []Finding {
	for i := range list {
		f := &list[i]
		f.Message, f.Explanation = display(f.Message), display(f.Explanation)
		for j := range f.Via {
			f.Via[j].Construct, f.Via[j].Text = display(f.Via[j].Construct), display(f.Via[j].Text)
		}
	}
	return list
}

// messenger asks by LSP's window/showMessageRequest, which any editor has.
type messenger struct {
	calls *calls
	log   *slog.Logger
}

const (
	runOnce = "Run once"
	dontRun = "Don't run"

	openHost   = "Allow"
	refuseHost = "Don't allow"

	maxShown = 1000 // runes of a command in a message, which is all there is to see of it

	leastShown = 40 // of each of several
)

// Approve is an executor.Approver's. Only the one button runs the command, or opens
// the host.
func (m messenger) Approve(ctx context.Context, q executor.Question) executor.Answer {
	yes, no, message := runOnce, dontRun, approvalMessage
	if q.Host != "" {
		yes, no, message = openHost, refuseHost, hostMessage
	}
	r, ok := m.calls.do(ctx, "window/showMessageRequest", ShowMessageRequestParams{
		Type: 2, Message: message(q), Actions: []MessageActionItem{{yes}, {no}},
	})
	answer := executor.Answer{Choice: executor.Decline, By: executor.ByClient}
	var pressed MessageActionItem
	switch {
	case ok && r.failed && r.code == CodeMethodNotFound:
		answer.By = executor.ByUnsupported
	case ok && !r.failed && !r.malformed && json.Unmarshal(r.result, &pressed) == nil && pressed.Title == yes:
		answer = executor.Answer{Choice: executor.Accept}
	}
	m.log.Info("approval", "exec", q.ExecID, "approval", q.ID, "answered", ok, "decision", answer.Choice, "by", answer.By)
	return answer
}

// shownCommand is what would run, and how many characters of that are missing. Of
// several commands each has a line: in one text, those in the middle of a long one
// would not be seen at all.
func shownCommand(q executor.Question) (text string, hidden int) {
	if q.Commands == nil {
		text = questionText(q).String()
		return shown(text, maxShown), max(0, utf8.RuneCountInString(text)-maxShown)
	}
	most := max(leastShown, maxShown/len(q.Commands))
	var b strings.Builder
	fmt.Fprintf(&b, "%d commands", len(q.Commands))
	if q.Ignore {
		b.WriteString(", whatever fails")
	}
	for i, c := range q.Commands {
		fmt.Fprintf(&b, "\n%d. %s", i+1, shown(c, most))
		hidden += max(0, utf8.RuneCountInString(c)-most)
	}
	return b.String(), hidden
}

// approvalMessage says what would run and why it is asked about.
func approvalMessage(q executor.Question) string {
	const reasons = 3
	var b strings.Builder
	text, hidden := shownCommand(q)
	fmt.Fprintf(&b, "Run %s\nin %s (sandbox %s, network %s)?\n", text, display(q.Cwd), q.Sandbox.Mode, q.Sandbox.Access)
	if hidden > 0 {
		fmt.Fprintf(&b, "\n%d characters in the middle of the command are not shown.", hidden)
	}
	for i, f := range q.Verdict.Findings {
		if i == reasons {
			fmt.Fprintf(&b, "\n… and %d more reasons", len(q.Verdict.Findings)-reasons)
			break
		}
		fmt.Fprintf(&b, "\nWhy: %s. %s", display(f.Message), display(f.Explanation))
	}
	return b.String()
}
