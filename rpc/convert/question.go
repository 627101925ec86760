package convert

import (
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/executor"
	"github.com/pillion-sidecar/pillion/rpc/display"
	"github.com/pillion-sidecar/pillion/rpc/jsonrpc"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

// Answer reads an answer. Whether it was offered is the executor's to
// say.
func Answer(r jsonrpc.Reply) executor.Answer {
	decline := func(by string) executor.Answer { return executor.Answer{Choice: executor.Decline, By: by} }
	switch {
	case r.Failed && r.Code == protocol.CodeMethodNotFound:
		return decline(executor.ByUnsupported)
	case r.Failed:
		return decline(executor.ByClient)
	case r.Malformed:
		return decline(executor.ByMalformed)
	}
	p := new(protocol.ApprovalResult)
	if bad := protocol.DecodeStrict(r.Result, p, protocol.NoNull); bad != nil {
		return decline(executor.ByMalformed)
	}
	choice := executor.Choice(p.Decision)
	switch choice {
	case executor.Accept, executor.AcceptForSession, executor.AcceptAlways, executor.Decline, executor.Withdraw, executor.Edit:
	default:
		return decline(executor.ByMalformed)
	}
	// A text that comes with "accept" is one that a person has seen and that would not run.
	if edited := p.Command != "" || p.Argv != nil || p.Commands != nil; edited != (choice == executor.Edit) {
		return decline(executor.ByMalformed)
	}
	return executor.Answer{Choice: choice, Command: p.Command, Argv: p.Argv, Commands: p.Commands, Message: p.Message}
}

// Question is what a person is asked.
func Question(q executor.Question) protocol.ApprovalParams {
	p := protocol.ApprovalParams{
		ApprovalID: q.ID, ExecID: q.ExecID, Description: display.Line(q.Description), Reason: protocol.AskedByGuard,
		// Never the description: the command's sender chose it.
		Title: "Run " + display.Line(QuestionText(q).String()) + "?",
		Subject: protocol.ApprovalSubject{
			Type: protocol.SubjectCommand, Command: q.Command, Argv: q.Argv, Commands: q.Commands, IgnoreErrors: q.Ignore, Shell: q.Shell, Cwd: q.Cwd, Stdin: q.Input, Open: q.InputOpen,
			Sandbox: Sandbox(q.Sandbox), Network: q.Sandbox.Access,
		},
		Findings: shownFindings(findings(q.Verdict.Findings)), ExpiresAt: protocol.Stamp(q.Expires),
	}
	switch q.Wants.Kind {
	case "":
	case executor.GrantHost:
		p.Reason, p.Subject.Type, p.Subject.Host = protocol.AskedByNetwork, protocol.SubjectHost, q.Wants.Value
		p.Title = LiveTitle(q)
	default:
		p.Reason, p.Subject.Type = protocol.AskedByUse, protocol.SubjectAccess
		p.Subject.Access = new(protocol.AccessGrant(q.Wants))
		p.Title = LiveTitle(q)
	}
	for _, name := range q.Env {
		p.Subject.Env = append(p.Subject.Env, display.Line(name))
	}
	p.AvailableDecisions = slices.Clone(q.Choices)
	if q.Session != nil {
		rule := SessionRule(*q.Session)
		p.SessionRule = &rule
	}
	if q.Always != nil {
		p.Always = permanent(*q.Always)
	}
	for _, a := range q.Given {
		p.Gives = append(p.Gives, protocol.AccessGrant(a))
	}
	p.Display = display.Question(p)
	return p
}

// permanent says what an answer for good would keep.
func permanent(k executor.Permanent) *protocol.PermanentGrant {
	out := &protocol.PermanentGrant{AccessGrant: protocol.AccessGrant(k.Access), Scope: protocol.ScopeAlways}
	if k.Standing != nil {
		out.Scope, out.Folder = protocol.ScopeWorkspace, k.Standing.Folder
	}
	return out
}

// approvalOffer is the question to a client that puts it to a person itself.
func approvalOffer(o *executor.Offer) *protocol.ApprovalOffer {
	if o == nil {
		return nil
	}
	p := Question(o.Question)
	return &protocol.ApprovalOffer{
		State: o.State, Title: p.Title, Subject: p.Subject, AvailableDecisions: p.AvailableDecisions,
		SessionRule: p.SessionRule, ExpiresAt: p.ExpiresAt, Display: p.Display,
	}
}

// QuestionText is the command that a question is about.
func QuestionText(q executor.Question) executor.Text {
	return executor.Text{Command: q.Command, Argv: q.Argv, Commands: q.Commands}
}

// shownFindings are findings whose texts a person reads: they quote the command.
func shownFindings(list []protocol.Finding) []protocol.Finding {
	for i := range list {
		f := &list[i]
		f.Message, f.Explanation = display.Line(f.Message), display.Line(f.Explanation)
		for j := range f.Via {
			f.Via[j].Construct, f.Via[j].Text = display.Line(f.Via[j].Construct), display.Line(f.Via[j].Text)
		}
	}
	return list
}

// LiveTitle says what an accepted host is open to: the proxy sees a sandbox's connections,
// whose commands could lie about themselves. Of keys and credentials it says what for.
func LiveTitle(q executor.Question) string {
	value := display.Line(q.Wants.Value)
	keys := strings.Fields(value)
	switch {
	case q.Wants.Kind == executor.GrantCredentials:
		return "Let git log in to " + value + " as you, with the credentials of your own git?"
	case q.Wants.Kind == executor.GrantKey && !strings.HasPrefix(value, "SHA256:"):
		return "Let git log in to " + keys[0] + " with your ssh key " + strings.Join(keys[1:], " or ") + "?"
	case q.Wants.Kind == executor.GrantKey:
		return "Let git sign commits and tags with your ssh key " + value + "?"
	}
	if q.HostIs != "" {
		value += ", " + display.Line(q.HostIs)
	}
	return "Let everything in this sandbox connect to " + value + "?"
}

// SessionRule is what a person accepts for the session.
func SessionRule(r executor.SessionRule) protocol.SessionRule {
	kind := protocol.RuleExact
	host, access := "", (*protocol.AccessGrant)(nil)
	switch r.Wants.Kind {
	case "":
	case executor.GrantHost:
		kind, host = protocol.RuleHost, r.Wants.Value
	default:
		kind, access = protocol.RuleAccess, new(protocol.AccessGrant(r.Wants))
	}
	return protocol.SessionRule{
		Kind: kind, Host: host, Access: access, Command: r.Command, Argv: r.Argv, Commands: r.Commands, Ignore: r.Ignore, Shell: r.Shell, RuleIDs: r.RuleIDs, Cwd: r.Cwd,
		Sandbox: r.Mode, Network: r.Network, PolicyHash: r.PolicyHash,
	}
}

func execApproval(a executor.Approval) *protocol.ExecApproval {
	if a.Choice == "" {
		return nil
	}
	return &protocol.ExecApproval{Decision: a.Choice, GrantID: a.GrantID, Command: a.Command, Argv: a.Argv, Commands: a.Commands}
}
