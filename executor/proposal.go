package executor

import (
	"crypto/rand"
	"maps"
	"os"
	"reflect"
	"slices"
	"time"

	"github.com/pillion-sidecar/pillion/guard"
)

// proposal is what a person was shown, and what else decides what an approved
// command will do.
type proposal struct {
	text    Text
	cwd     string
	dir     os.FileInfo // of cwd: another directory may come to stand at its path
	sandbox EffectiveSandbox
	policy  string // hash of the sandbox's policy, which has more than is shown
	verdict guard.Verdict
	rule    *SessionRule // nil where a session can't be granted
}

// consent lets a command that must be asked about through if a person has
// accepted it; otherwise the error is the question.
func (r *Run) consent(ask *ApprovalError, p *prepared) error {
	e := r.engine
	enforcement, err := e.conf.Sandbox.Assess(p.policy)
	if err != nil {
		return err // nobody is asked about what can't run
	}
	info, err := p.dir.Stat()
	if err != nil {
		return err
	}
	s := &proposal{
		text: r.req.text(), cwd: p.dir.Name(), dir: info, verdict: ask.Verdict,
		sandbox: effective(enforcement, p.policy, r.req.Sandbox.Mode), policy: p.policy.Hash(),
	}
	s.rule = r.sessionRule(s)
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
	return shown != nil && shown.text.equal(s.text) &&
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
		Verdict: s.verdict, Choices: []Choice{Accept, Decline, Withdraw, Edit}, Session: s.rule, Expires: time.Now().Add(r.engine.patience()),
	}
	if q.Session != nil {
		q.Choices = slices.Insert(q.Choices, 1, AcceptForSession)
	}
	return q
}

func questionID() string { return "a-" + rand.Text()[:12] }

// patience is how long a person has for an answer.
func (e *Engine) patience() time.Duration {
	if limit := e.conf.ApprovalTimeout; limit > 0 {
		return limit
	}
	return defaultApprovalTime
}
