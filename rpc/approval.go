package rpc

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"github.com/pillion-sidecar/pillion/executor"
	"github.com/pillion-sidecar/pillion/rpc/convert"
	"github.com/pillion-sidecar/pillion/rpc/display"
	"github.com/pillion-sidecar/pillion/rpc/jsonrpc"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
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
	calls *jsonrpc.Calls
	log   *slog.Logger
}

// Approve is an executor.Approver's.
func (a asker) Approve(ctx context.Context, q executor.Question) executor.Answer {
	r, ok := a.calls.Do(ctx, "exec/requestApproval", convert.Question(q))
	answer := executor.Answer{}
	if ok {
		answer = convert.Answer(r)
	}
	a.log.Info("approval", "exec", q.ExecID, "approval", q.ID, "answered", ok, "decision", answer.Choice, "by", answer.By)
	return answer
}

// messenger asks by LSP's window/showMessageRequest, which any editor has.
type messenger struct {
	calls *jsonrpc.Calls
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
	if q.Wants.Kind != "" {
		yes, no, message = openHost, refuseHost, liveMessage
	}
	r, ok := m.calls.Do(ctx, "window/showMessageRequest", protocol.ShowMessageRequestParams{
		Type: 2, Message: message(q), Actions: []protocol.MessageActionItem{{Title: yes}, {Title: no}},
	})
	answer := executor.Answer{Choice: executor.Decline, By: executor.ByClient}
	var pressed protocol.MessageActionItem
	switch {
	case ok && r.Failed && r.Code == protocol.CodeMethodNotFound:
		answer.By = executor.ByUnsupported
	case ok && !r.Failed && !r.Malformed && json.Unmarshal(r.Result, &pressed) == nil && pressed.Title == yes:
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
		text = convert.QuestionText(q).String()
		return display.Clip(text, maxShown), max(0, utf8.RuneCountInString(text)-maxShown)
	}
	most := max(leastShown, maxShown/len(q.Commands))
	var b strings.Builder
	fmt.Fprintf(&b, "%d commands", len(q.Commands))
	if q.Ignore {
		b.WriteString(", whatever fails")
	}
	for i, c := range q.Commands {
		fmt.Fprintf(&b, "\n%d. %s", i+1, display.Clip(c, most))
		hidden += max(0, utf8.RuneCountInString(c)-most)
	}
	return b.String(), hidden
}

// approvalMessage says what would run and why it is asked about.
func approvalMessage(q executor.Question) string {
	const reasons = 3
	var b strings.Builder
	text, hidden := shownCommand(q)
	fmt.Fprintf(&b, "Run %s\nin %s (sandbox %s, network %s)?\n", text, display.Line(q.Cwd), q.Sandbox.Mode, q.Sandbox.Access)
	if hidden > 0 {
		fmt.Fprintf(&b, "\n%d characters in the middle of the command are not shown.", hidden)
	}
	for i, f := range q.Verdict.Findings {
		if i == reasons {
			fmt.Fprintf(&b, "\n… and %d more reasons", len(q.Verdict.Findings)-reasons)
			break
		}
		fmt.Fprintf(&b, "\nWhy: %s. %s", display.Line(f.Message), display.Line(f.Explanation))
	}
	return b.String()
}

// liveMessage is the same with the command that wants it and what that may mean.
func liveMessage(q executor.Question) string {
	text, _ := shownCommand(q)
	return fmt.Sprintf("%s\n%s\n\nAsked for by %s\nin %s", convert.LiveTitle(q), display.Warning(convert.Question(q).Reason), text, display.Line(q.Cwd))
}
