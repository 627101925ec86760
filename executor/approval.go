package executor

import (
	"context"
	"crypto/rand"
	"maps"
	"os"
	"reflect"
	"slices"
	"time"

	"github.com/pillion-sidecar/pillion/executor/grant"
	"github.com/pillion-sidecar/pillion/executor/render"
	"github.com/pillion-sidecar/pillion/guard"
	"github.com/pillion-sidecar/pillion/workspace"
)

// Approver puts questions to a person.
type Approver interface {
	// Approve shows q and returns the answer. When ctx is done it takes the
	// question back and returns; what is answered then no longer counts.
	Approve(ctx context.Context, q Question) Answer
}

// Choice is what a person may answer.
type Choice string

// The choices. Everything else is Decline.
const (
	Accept           Choice = "accept"
	AcceptForSession Choice = "acceptForSession" // this command, and the same one later on
	AcceptAlways     Choice = "acceptAlways"     // and in the sessions to come
	Decline          Choice = "decline"
	Withdraw         Choice = "cancel" // the command is not wanted any more
	Edit             Choice = "edit"   // another text, judged as if it had been sent
)

// Question is all that a person decides by. An approval covers what is in it and
// nothing else.
type Question struct {
	ID          string // of the question
	ExecID      string
	Command     string // exactly one of Command, Argv and Commands
	Argv        []string
	Commands    []string
	Ignore      bool     // IgnoreErrors of Commands
	Shell       string   // "" is the default
	Description string   // the sender of the command wrote it: not to be relied on
	Cwd         string   // resolved
	Env         []string // names it sets or removes
	Input       int      // bytes of stdin, which are not judged
	InputOpen   bool     // and more of it may come
	Sandbox     EffectiveSandbox
	Verdict     guard.Verdict
	Choices     []Choice
	Session     *SessionRule // what AcceptForSession will match, nil where it is not offered
	Always      *Permanent   // what AcceptAlways will keep, nil where it is not offered
	Given       []Access     // what the command gets with a yes, beside its sandbox
	Expires     time.Time

	Wants  Access // what a running command waits for: a host, a key, credentials; none asks about the command itself
	HostIs string // what an address that isn't public is, and which name leads to it
}

// Answer is a person's. Command, Argv or Commands is the text of an Edit.
type Answer struct {
	Choice   Choice
	Command  string
	Argv     []string
	Commands []string
	Message  string // why, in the person's words
	By       string // who declined, one of By…; "" is ByClient
}

// Offer lets a command be sent again with a person's decision about the Question.
type Offer struct {
	State string // names it; good for one Retry
	Question
}

// Retry is a decision about a command that was refused with an Offer.
type Retry struct {
	State  string
	Choice Choice
}

// Why it was declined.
const (
	ByClient      = "client"
	ByTimeout     = "timeout"
	ByUnsupported = "unsupported" // the client announced approvals and does not serve them
	ByMalformed   = "malformed"   // the answer was not one of those offered, or not to this command
	ByRounds      = "rounds"      // asked maxRounds times
)

// Approval is how a command that had to be asked about came to run. Command, Argv
// or Commands is what ran if that is not what was sent.
type Approval struct {
	Choice   Choice
	GrantID  string
	Command  string
	Argv     []string
	Commands []string
}

// proposal is what a person was shown, and what else decides what an approved
// command will do.
type proposal struct {
	text    Text
	cwd     string
	dir     os.FileInfo // of cwd: another directory may come to be at its path
	sandbox EffectiveSandbox
	policy  string // hash of the sandbox's policy, which has more than is shown
	verdict guard.Verdict
	want    *SessionRule // what a grant must have been given for, nil where none can be
	rule    *SessionRule // the same where a session can be granted: the text says all that it does
	given   []Access     // what the command lacks, and gets with the yes
}

// consent lets a command that must be asked about through if a person has
// accepted it; otherwise the error is the question.
func (r *Run) consent(ask *ApprovalError, p *prepared) error {
	e := r.engine
	enforcement, err := e.conf.Sandbox.Assess(p.policy)
	if err != nil {
		return err // what can't run is not asked about
	}
	info, err := p.dir.Stat()
	if err != nil {
		return err
	}
	s := &proposal{
		text: r.req.text(), cwd: p.dir.Name(), dir: info, verdict: ask.Verdict,
		sandbox: effective(enforcement, p.policy, r.req.Sandbox.Mode), policy: p.policy.Hash(), given: ask.given,
	}
	if fixed := r.engine.fixed(r.req, r.folders, s.cwd); fixed || s.verdict.Told {
		if s.want = r.sessionRule(s); fixed {
			s.rule = s.want
		}
	}
	e.mu.Lock()
	r.cwd, r.mode = s.cwd, p.policy.Mode
	e.mu.Unlock()
	if r.approved.covers(s) || r.granted(s) {
		return nil
	}
	ask.proposal = s
	return ask
}

// covers reports that s asks for nothing that was not shown: no finding of
// another rule, at another place, about something else or stricter; the same
// text in the same directory, the same sandbox, judged by the same policy.
func (shown *proposal) covers(s *proposal) bool {
	return shown != nil && shown.text.Equal(s.text) &&
		shown.cwd == s.cwd && os.SameFile(shown.dir, s.dir) &&
		shown.policy == s.policy && reflect.DeepEqual(shown.sandbox, s.sandbox) &&
		shown.verdict.PolicyHash == s.verdict.PolicyHash &&
		!slices.ContainsFunc(s.verdict.Findings, func(f guard.Finding) bool { return !known(shown.verdict.Findings, f) })
}

// known reports a finding that is in the list, as strict as it is there.
func known(list []guard.Finding, f guard.Finding) bool {
	return slices.ContainsFunc(list, func(o guard.Finding) bool {
		return o.RuleID == f.RuleID && o.Source == f.Source && o.Span == f.Span && o.Message == f.Message &&
			(o.Decision == f.Decision || f.Decision == guard.Allow)
	})
}

// question is what is shown of a proposal.
func (r *Run) question(s *proposal) Question {
	q := Question{
		ID: questionID(), ExecID: r.req.ID, Command: s.text.Command, Argv: s.text.Argv, Commands: s.text.Commands, Ignore: r.req.IgnoreErrors, Shell: r.req.Shell,
		Description: r.req.Description, Cwd: s.cwd, Env: slices.Sorted(maps.Keys(r.req.Env)), Input: len(r.req.Stdin), InputOpen: r.req.StdinOpen || r.req.Terminal != nil, Sandbox: s.sandbox,
		Verdict: s.verdict, Choices: []Choice{Accept, Decline, Withdraw, Edit}, Session: s.rule, Always: r.permanent(s), Given: s.given, Expires: time.Now().Add(r.engine.patience()),
	}
	q.Choices = slices.Insert(q.Choices, 1, q.kept()...)
	return q
}

// kept are the choices that hold for more than this once.
func (q *Question) kept() (list []Choice) {
	if q.Session != nil {
		list = append(list, AcceptForSession)
	}
	if q.Always != nil {
		list = append(list, AcceptAlways)
	}
	return list
}

func questionID() string { return "a-" + rand.Text()[:12] }

// patience is how long a person has for an answer.
func (e *Engine) patience() time.Duration {
	if limit := e.conf.ApprovalTimeout; limit > 0 {
		return limit
	}
	return defaultApprovalTime
}

// sessionRule is the rule that would let s through again. A command with variables or
// input of its own has none: the rule could not show them. What a person types at a
// terminal is their own.
func (r *Run) sessionRule(s *proposal) *grant.Rule {
	if r.req.Terminal != nil && r.engine.conf.Remember == nil {
		return nil
	}
	if len(r.req.Env) > 0 || r.req.Stdin != nil || r.req.StdinOpen {
		return nil
	}
	rule := &grant.Rule{
		Command: s.text.Command, Argv: s.text.Argv, Commands: s.text.Commands, Ignore: r.req.IgnoreErrors, Shell: r.req.Shell, Cwd: s.cwd, Mode: s.sandbox.Mode, Network: s.sandbox.Access,
		PolicyHash: s.verdict.PolicyHash, Sandbox: s.policy, EnvInherit: r.req.EnvInherit, OnBackground: r.req.OnBackground,
	}
	if s.text.Commands == nil {
		rule.Meaning = s.verdict.Meaning
	}
	for _, f := range s.verdict.Findings {
		if grant.Unsettled(f.RuleID) {
			return nil
		}
		if !slices.Contains(rule.RuleIDs, f.RuleID) {
			rule.RuleIDs = append(rule.RuleIDs, f.RuleID)
		}
	}
	slices.Sort(rule.RuleIDs)
	return rule
}

// granted looks for a grant that lets s through. One that has done so already is not
// counted when it is judged again after a wait.
func (r *Run) granted(s *proposal) bool {
	id, ok := r.engine.grants.Use(s.want, r.approval.GrantID)
	if ok {
		r.approval.Choice, r.approval.GrantID = AcceptForSession, id
		return true
	}
	meaning := func(text render.Text) string {
		req := r.req
		req.Command, req.Argv = text.Command, text.Argv
		return guard.Check(r.engine.input(req, s.cwd), r.engine.conf.Guard, r.engine.facts(req, r.folders, s.cwd), r.engine.conf.Home).Meaning
	}
	standing := func(m Remembered) bool {
		return workspace.Within(m.Folder, s.cwd) && (m.Allows(s.want) || m.AllowsSpelled(s.want, meaning))
	}
	if r.req.Sandbox.Writable != nil || !slices.ContainsFunc(r.engine.remembered(), standing) {
		return false
	}
	r.approval.Choice, r.approval.GrantID = Accept, grant.OfPolicy
	return true
}

// Grants lists what was accepted for this session, oldest first.
func (e *Engine) Grants() []Grant { return e.grants.All() }

// Revoke takes one grant back, or all of them with "".
func (e *Engine) Revoke(id string) { e.grants.Revoke(id) }
