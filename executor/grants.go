package executor

import (
	"crypto/rand"
	"slices"
	"strings"
	"time"

	"github.com/pillion-sidecar/pillion/sandbox"
)

// SessionRule is what a person accepts for the rest of the session: one exact
// command, in one place, under one policy. A pattern would approve commands that
// nobody has seen.
type SessionRule struct {
	Command    string // exactly one of Command, Argv and Commands
	Argv       []string
	Commands   []string
	Ignore     bool // IgnoreErrors of Commands
	Shell      string
	RuleIDs    []string // sorted; a command that more rules find is asked about
	Cwd        string
	Mode       sandbox.Mode
	Network    sandbox.Network
	PolicyHash string // of the guard's policy
	Host       string // "host:port" that the sandboxes of this session may connect to, instead of all the others

	sandbox      string // hash of the whole sandbox policy
	envInherit   string
	onBackground string
}

// Grant is a rule that a person has accepted for this session.
type Grant struct {
	ID      string
	Rule    SessionRule
	Created time.Time
	Uses    int // commands that were not asked about because of it
}

// maxGrants bounds the grants of a session; the oldest makes room.
const maxGrants = 256

// sessionRule is the rule that would let s through again, nil where its text does
// not say all that it does. A command with variables or input of its own is one:
// the rule could not show them.
func (r *Run) sessionRule(s *proposal) *SessionRule {
	if len(r.req.Env) > 0 || r.req.Stdin != nil || r.req.StdinOpen || r.req.Terminal != nil || !r.engine.fixed(r.req, r.folders, s.cwd) {
		return nil
	}
	rule := &SessionRule{
		Command: s.text.Command, Argv: s.text.Argv, Commands: s.text.Commands, Ignore: r.req.IgnoreErrors, Shell: r.req.Shell, Cwd: s.cwd, Mode: s.sandbox.Mode, Network: s.sandbox.Access,
		PolicyHash: s.verdict.PolicyHash, sandbox: s.policy, envInherit: r.req.EnvInherit, onBackground: r.req.OnBackground,
	}
	for _, f := range s.verdict.Findings {
		if unsettled(f.RuleID) {
			return nil
		}
		if !slices.Contains(rule.RuleIDs, f.RuleID) {
			rule.RuleIDs = append(rule.RuleIDs, f.RuleID)
		}
	}
	slices.Sort(rule.RuleIDs)
	return rule
}

// unsettled are rules about what the guard could not tell: the next time it may
// be something else.
func unsettled(rule string) bool {
	family, name, _ := strings.Cut(rule, "/")
	return family == "parse" || family == "budget" || family == "guard" || strings.HasSuffix(name, "unknown")
}

// allows reports that a command described by want needs no question.
func (rule *SessionRule) allows(want *SessionRule) bool {
	return rule.same(want) && !slices.ContainsFunc(want.RuleIDs, func(id string) bool { return !slices.Contains(rule.RuleIDs, id) })
}

func (rule *SessionRule) text() Text { return Text{rule.Command, rule.Argv, rule.Commands} }

func (rule *SessionRule) same(o *SessionRule) bool {
	return rule.Host == o.Host && rule.text().equal(o.text()) && rule.Ignore == o.Ignore && rule.Shell == o.Shell && rule.Cwd == o.Cwd &&
		rule.PolicyHash == o.PolicyHash && rule.sandbox == o.sandbox && rule.envInherit == o.envInherit &&
		rule.onBackground == o.onBackground
}

// granted looks for a grant that lets s through.
func (r *Run) granted(s *proposal) bool {
	e := r.engine
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, g := range e.grants {
		if s.rule == nil || !g.Rule.allows(s.rule) {
			continue
		}
		if r.approval.GrantID != g.ID { // not judged again after a wait
			g.Uses++
		}
		r.approval.Choice, r.approval.GrantID = AcceptForSession, g.ID
		return true
	}
	return false
}

// grant keeps a rule and returns its id.
func (e *Engine) grant(rule SessionRule) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, g := range e.grants {
		if g.Rule.same(&rule) && slices.Equal(g.Rule.RuleIDs, rule.RuleIDs) {
			return g.ID
		}
	}
	if len(e.grants) >= maxGrants {
		e.grants = slices.Delete(e.grants, 0, 1)
	}
	g := &Grant{ID: "g-" + rand.Text()[:12], Rule: rule, Created: time.Now()}
	e.grants = append(e.grants, g)
	return g.ID
}

// Grants lists what was accepted for this session, oldest first.
func (e *Engine) Grants() []Grant {
	e.mu.Lock()
	defer e.mu.Unlock()
	list := make([]Grant, 0, len(e.grants))
	for _, g := range e.grants {
		list = append(list, *g)
	}
	return list
}

// Revoke takes one grant back, or all of them with "".
func (e *Engine) Revoke(id string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.grants = slices.DeleteFunc(e.grants, func(g *Grant) bool { return id == "" || g.ID == id })
}
