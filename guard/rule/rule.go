// Package rule says what happens to a command for what it would do: a table of rows, each
// with its reason, what to do instead, and examples that are tests. A row looks at one
// effect, at what its program is asked to do (its meanings), and at places; it reads no
// arguments, and knows neither shell nor walk.
package rule

import (
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/place"
)

// Writes reports an effect that changes a path.
func Writes(e *effect.Effect) bool { return e.Kind == effect.Write || e.Kind == effect.Delete }

// Rule is one row of the table: what it is about, and the examples that prove it.
type Rule struct {
	ID       string
	Title    string
	Why      string   // the harm, for a person who has to decide
	Decision Decision // of a command that matches
	Severity int      // 1 (worst) to 4
	Message  string   // what the command does; {what} is the path or program
	Safer    string   // what to do instead, "" when there is nothing
	Match    []string // commands this rule must find, run as tests
	NotMatch []string // commands that only look alike
	Loss     Loss     // nothing else is at stake
	Sealed   bool     // the sandbox refuses it, whatever anybody answers
	Verbatim bool     // Message is a sentence that clients know and compare, to be passed on unchanged

	When When
	Say  func(e *effect.Effect) string // the message, where it depends on the effect
}

// But says where the decision is another one, "" if nowhere.
func (r *Rule) But() string {
	switch {
	case r.Sealed:
		return "denied in a sandbox on Linux, which refuses it in any case"
	case r.Loss == LossWorkspace:
		return "allowed where pillion undo brings back what it destroys"
	case r.Loss == LossProcesses:
		return "allowed in a sandbox on Linux, which has no other programs"
	}
	return ""
}

// Context is what a row may ask about the request that an effect belongs to.
type Context struct {
	*place.World
	Cwd    string
	Empty  bool                   // the request holds no command
	Depth  int                    // of code that is judged inside of code
	Denied func(text string) bool // shell text inside of code, by the same rows
}

// Book is the rows that speak, with what a policy decides about them.
type Book struct {
	Rows      []Rule
	Decisions map[string]Decision
}

// Decision is what the policy, or else the row itself, decides.
func (b *Book) Decision(r *Rule) Decision {
	if d, ok := b.Decisions[r.ID]; ok {
		return d
	}
	return r.Decision
}

// Judge applies the rows to one effect. Decisions of a policy may have changed the order
// of strictness: then the strictest row that matches decides. A silenced row is skipped,
// so that the general rows after it still count.
func (b *Book) Judge(c *Context, e *effect.Effect) (found Finding, ok bool) {
	for i := range b.Rows {
		r := &b.Rows[i]
		d := b.Decision(r)
		if d == Allow && r.Decision != Allow || ok && d.Rank() <= found.Decision.Rank() || !r.speaks(c, e) {
			continue
		}
		if ok = d != Allow; !ok {
			return Finding{}, false
		}
		found = r.Finding(e)
		found.Decision = d
		if _, own := b.Decisions[r.ID]; !own { // who has chosen to be asked is asked
			found.Loss, found.Sealed = r.Loss, r.Sealed
		}
		if d == Deny || len(b.Decisions) == 0 {
			break
		}
	}
	return found, ok
}

// speaks reports that the row is about the effect.
func (r *Rule) speaks(c *Context, e *effect.Effect) bool {
	return e.Is(r.ID) || r.When != nil && r.When(c, e)
}

// Decision is what should happen to a command.
type Decision string

// The decisions, from the loosest to the strictest. The strictest finding wins.
const (
	Allow Decision = "allow"
	Ask   Decision = "ask"
	Deny  Decision = "deny"
)

// Rank orders decisions by strictness; an unknown word counts as the strictest.
func (d Decision) Rank() int {
	switch d {
	case Allow:
		return 0
	case Ask:
		return 1
	}
	return 2
}
