// Package grant keeps what a person has accepted for the rest of a session.
package grant

import (
	"crypto/rand"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pillion-sidecar/pillion/executor/render"
	"github.com/pillion-sidecar/pillion/sandbox"
)

// Rule is what a person accepts for the rest of the session: one exact command, in one
// place, under one policy. A pattern would approve commands that no person has seen.
type Rule struct {
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
	Wants      Access // what the commands of this session are not asked about, instead of all the others

	Meaning      string // guard.Verdict's: one for all spellings of the command
	Sandbox      string // hash of the whole sandbox policy
	EnvInherit   string
	OnBackground string
}

// Grant is a rule that a person has accepted for this session.
type Grant struct {
	ID      string
	Rule    Rule
	Created time.Time
	Uses    int // commands that were not asked about because of it
}

// maxGrants bounds the grants of a session; the oldest makes room.
const maxGrants = 256

// Unsettled says that a rule of the guard is one about what the guard could not tell: the
// next time it may be something else.
func Unsettled(rule string) bool {
	family, name, _ := strings.Cut(rule, "/")
	return family == "parse" || family == "budget" || family == "guard" || strings.HasSuffix(name, "unknown")
}

// allows reports that a command described by want needs no question.
func (rule *Rule) allows(want *Rule) bool {
	return rule.same(want) && !slices.ContainsFunc(want.RuleIDs, func(id string) bool { return !slices.Contains(rule.RuleIDs, id) })
}

func (rule *Rule) text() render.Text {
	return render.Text{Command: rule.Command, Argv: rule.Argv, Commands: rule.Commands}
}

func (rule *Rule) same(o *Rule) bool {
	spelled := rule.Meaning != "" && rule.Meaning == o.Meaning
	return rule.Wants == o.Wants && (spelled || rule.text().Equal(o.text())) && rule.Ignore == o.Ignore && rule.Shell == o.Shell && rule.Cwd == o.Cwd &&
		rule.PolicyHash == o.PolicyHash && rule.Sandbox == o.Sandbox && rule.EnvInherit == o.EnvInherit &&
		rule.OnBackground == o.OnBackground
}

// List is the grants of a session.
type List struct {
	mu   sync.Mutex
	list []*Grant
}

// Use finds a grant that lets a command through, and counts it unless it is the one that
// has done so already.
func (l *List) Use(want *Rule, already string) (id string, ok bool) {
	return l.find(already, func(r *Rule) bool { return want != nil && r.allows(want) })
}

// UseAccess finds one for what a running command wants.
func (l *List) UseAccess(a Access) (id string, ok bool) {
	return l.find("", func(r *Rule) bool { return r.Wants == a })
}

func (l *List) find(already string, allows func(*Rule) bool) (id string, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.IndexFunc(l.list, func(g *Grant) bool { return allows(&g.Rule) })
	if i < 0 {
		return "", false
	}
	if l.list[i].ID != already {
		l.list[i].Uses++
	}
	return l.list[i].ID, true
}

// Add keeps a rule and returns its id.
func (l *List) Add(rule Rule) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, g := range l.list {
		if g.Rule.same(&rule) && slices.Equal(g.Rule.RuleIDs, rule.RuleIDs) {
			return g.ID
		}
	}
	if len(l.list) >= maxGrants {
		l.list = slices.Delete(l.list, 0, 1)
	}
	g := &Grant{ID: "g-" + rand.Text()[:12], Rule: rule, Created: time.Now()}
	l.list = append(l.list, g)
	return g.ID
}

// All lists them, oldest first.
func (l *List) All() []Grant {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := make([]Grant, 0, len(l.list))
	for _, g := range l.list {
		list = append(list, *g)
	}
	return list
}

// Revoke takes one grant back, or all of them with "".
func (l *List) Revoke(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = slices.DeleteFunc(l.list, func(g *Grant) bool { return id == "" || g.ID == id })
}
