package executor

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/pillion-sidecar/pillion/guard"
	"github.com/pillion-sidecar/pillion/workspace"
)

const (
	// maxRounds bounds the questions about one command: a program that changes the
	// workspace could otherwise ask until a person tires.
	maxRounds = 3

	defaultApprovalTime = 5 * time.Minute

	phaseAwaiting = "awaitingApproval"
)

// permitted prepares the command and asks a person while there is something to
// ask. The caller holds no slot: other commands must not wait for a person.
func (r *Run) permitted() (*prepared, error) {
	if err := r.redeem(); err != nil {
		return nil, err
	}
	for {
		p, err := r.prepare()
		ask := askable(err)
		if ask == nil {
			return p, err
		}
		if err := r.ask(ask); err != nil {
			return nil, err
		}
	}
}

// askable is the question in err, nil if there is none or nobody to ask.
func askable(err error) *ApprovalError {
	var ask *ApprovalError
	if errors.As(err, &ask) && ask.proposal != nil {
		return ask
	}
	return nil
}

// ask puts one question and acts on the answer. Without an error the command is
// to be prepared again, which judges it again and resolves its cwd again: a
// directory swapped for a link while the person reads was the attack on the
// approvals of several agents.
func (r *Run) ask(a *ApprovalError) error {
	if r.engine.conf.Approver == nil {
		return r.refer(a)
	}
	if r.rounds++; r.rounds > maxRounds {
		return &DeclinedError{Verdict: a.Verdict, By: ByRounds}
	}
	q := r.question(a.proposal)
	answer, late, err := r.await(q)
	var busy *BusyError
	switch {
	case errors.As(err, &busy):
		return err // it was not shown
	case err != nil:
	case late:
		err = &DeclinedError{Verdict: a.Verdict, By: ByTimeout}
	default:
		err = r.settle(q, a.proposal, answer)
	}
	r.engine.tell(func(to Recorder) { to.Answered(q, answer, r.approval, err) })
	return err
}

// await shows the question in the state that exec/list reports. Whatever came together
// with the answer, a cancel or the expiry, comes first.
func (r *Run) await(q Question) (answer Answer, late bool, err error) {
	if err := r.beginAwait(); err != nil {
		return Answer{}, false, err
	}
	defer r.endAwait()
	ctx, stop := context.WithDeadline(r.ctx, q.Expires)
	defer stop()
	answer = r.engine.conf.Approver.Approve(ctx, q)
	if err := r.stopped(phaseAwaiting); err != nil {
		return Answer{}, false, err
	}
	return answer, ctx.Err() != nil, nil
}

// mayAsk says that a person has not too many questions yet, about commands and about
// hosts. Called with mu held.
func (e *Engine) mayAsk() bool {
	return e.awaiting+e.hostQuestions < e.conf.Limits.MaxPendingApprovals
}

func (r *Run) beginAwait() error {
	e := r.engine
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.mayAsk() {
		return &BusyError{Running: e.running, Queued: len(e.waiting), Awaiting: e.awaiting, RetryAfter: time.Second}
	}
	e.awaiting++
	r.state = StateAwaiting
	return nil
}

func (r *Run) endAwait() {
	e := r.engine
	e.mu.Lock()
	defer e.mu.Unlock()
	e.awaiting--
	r.state = StateQueued
}

// settle acts on an answer. Only a choice that was offered is one: a client that sent
// "acceptForSession" where it was not would have made a grant that no person saw.
func (r *Run) settle(q Question, s *proposal, a Answer) error {
	if !slices.Contains(q.Choices, a.Choice) {
		return &DeclinedError{Verdict: s.verdict, By: ByMalformed, Message: a.Message}
	}
	switch a.Choice {
	case Accept:
		r.approved, r.approval.Choice, r.approval.GrantID = s, Accept, ""
		return nil
	case AcceptForSession, AcceptAlways:
		r.approved, r.approval.Choice = s, a.Choice
		if q.Session != nil {
			r.approval.GrantID = r.engine.grants.Add(*q.Session)
		}
		if a.Choice == AcceptAlways {
			r.engine.remember(q.Always)
		}
		return nil
	case Edit:
		return r.edit(s, a)
	case Withdraw:
		r.cancel(cause(Cancelled))
		return &CancelledError{Phase: phaseAwaiting, Why: Cancelled}
	}
	by := a.By
	if by == "" {
		by = ByClient
	}
	return &DeclinedError{Verdict: s.verdict, By: by, Message: a.Message}
}

// edit puts the person's text in place of the command. Nothing of it is approved
// yet: it is judged like any other, for a person misreads a pasted text, too.
func (r *Run) edit(s *proposal, a Answer) error {
	next := r.req
	next.Command, next.Argv, next.Commands = a.Command, a.Argv, a.Commands
	if !next.text().Alike(r.req.text()) || r.engine.check(next) != nil {
		return &DeclinedError{Verdict: s.verdict, By: ByMalformed, Message: a.Message}
	}
	r.approved = nil
	r.approval = Approval{Choice: Edit, Command: a.Command, Argv: a.Argv, Commands: a.Commands}
	r.engine.mu.Lock()
	defer r.engine.mu.Unlock()
	r.req.Command, r.req.Argv, r.req.Commands = a.Command, a.Argv, a.Commands
	return nil
}

// permanent is what AcceptAlways would keep of a proposal: one exact text with the rules
// that were asked about, in the folder of the workspace and below. nil where its text
// doesn't say all that it does, where it has a secret, which no policy should have, and
// where it can't be kept.
func (r *Run) permanent(s *proposal) *Permanent {
	rule, folder := s.rule, r.folderOf(s.cwd)
	if len(s.given) > 0 {
		if len(s.given) > 1 || r.engine.with(r.req, s.given, r.folders, s.cwd).Decision != guard.Allow {
			return nil
		}
		return &Permanent{Access: s.given[0]}
	}
	switch {
	case rule == nil || folder == "" || r.engine.conf.Remember == nil || r.req.Bridged || r.req.Sandbox.Writable != nil:
		return nil
	case rule.Commands != nil || rule.Shell != "" || rule.EnvInherit != "" || rule.OnBackground != "":
		return nil
	case guard.Redact(rule.Command) != rule.Command || !slices.Equal(guard.RedactArgv(rule.Argv), rule.Argv):
		return nil
	}
	return &Permanent{
		Access: Access{Kind: GrantCommand, Value: s.text.String()},
		Standing: &Remembered{
			Command: rule.Command, Argv: rule.Argv, RuleIDs: rule.RuleIDs, Folder: folder, Mode: rule.Mode, Network: rule.Network,
		},
	}
}

func (r *Run) folderOf(path string) string {
	for _, f := range r.folders.Folders() {
		if workspace.Within(f, path) {
			return f
		}
	}
	return ""
}

// remember keeps a permanent yes in the user's policy, and for the rest of the session.
// One that can't be written holds for the session only, and its writer says so to the
// person.
func (e *Engine) remember(p *Permanent) {
	if err := e.conf.Remember(*p); err != nil {
		e.conf.Log.Warn("a grant is not remembered", "error", err)
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case p.Standing != nil:
		e.always = append(e.always, *p.Standing)
	case p.Access.Kind == GrantRead || p.Access.Kind == GrantWrite: // the others are grants of the session
		e.lent = append(e.lent, p.Access)
	}
}

// remembered are the commands that are not asked about any more.
func (e *Engine) remembered() []Remembered {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Concat(e.conf.Remembered, e.always)
}
