// Package rule says what happens to a command for what it would do: a table of rows, each
// with its reason, what to do instead, and examples that are tests. A row looks at one
// effect, at what its program is asked to do (its meanings), and at places; it reads no
// arguments, and knows neither shell nor walk.
package rule

import (
	"cmp"
	"embed"
	"strings"
	"sync"

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

// Finding is what a row that matches says of an effect.
func (r *Rule) Finding(e *effect.Effect) Finding {
	f := Finding{
		RuleID: r.ID, Severity: r.Severity, Decision: r.Decision,
		Message: strings.NewReplacer("{what}", what(e), "{name}", e.Name).Replace(r.Message), Explanation: r.Why,
		Source: e.Source, Span: e.Span, Via: e.Via, Verbatim: r.Verbatim,
	}
	if !e.Unknown && !e.Maybe && !strings.ContainsAny(e.Path, "*?[") && (e.Kind == effect.Read || e.Kind == effect.Write) {
		f.Place = e.Path
	}
	if r.Say != nil {
		f.Message = r.Say(e)
	}
	f.Message = strings.TrimSuffix(f.Message, " (…)") // all of it is known at run time only
	if r.Safer != "" {
		f.Suggestion = &Suggestion{Title: r.Safer}
	}
	return f
}

// what names an effect in a message, short and without the unknown mark.
func what(e *effect.Effect) string {
	text := strings.TrimSuffix(e.Text, effect.SomeFile)
	if text != e.Text {
		return "what it finds in " + cmp.Or(text, "/")
	}
	said := strings.Contains(e.Text, e.Path) || e.Inside && strings.HasSuffix(e.Path, "/"+strings.TrimPrefix(e.Text, "./"))
	if e.Path != "" && e.Kind != effect.Exec && !said {
		text += " (" + e.Path + ")"
	}
	if len(text) > 120 {
		text = strings.ToValidUTF8(text[:120], "") + "…"
	}
	return strings.ReplaceAll(text, effect.Unknown, "…")
}

// Suggestion is a safer way to the same end.
type Suggestion struct {
	Title   string
	Command string   // shell text, or ""
	Argv    []string // the same for argv requests
}

// Finding is one rule that matched.
type Finding struct {
	RuleID      string
	Severity    int // 1 (worst) to 4, as LSP's DiagnosticSeverity
	Decision    Decision
	Message     string // what this command does, one sentence
	Verbatim    bool   // Message stands for itself: nothing is put before it
	Explanation string // why that matters
	Source      effect.Source
	Span        effect.Span
	Via         []effect.Link // outermost first
	Suggestion  *Suggestion
	Place       string `json:"-"`         // the path that is read or written, "" where it is known at run time only
	Loss        Loss   `json:",omitzero"` // all that is at stake; "" is more than a Loss names
	Sealed      bool   `json:"-"`         // the sandbox refuses it, whatever anybody answers
}

// Loss is what a command can do no worse than lose.
type Loss string

// Losses: files that a command of the sandbox can write, which come back where what it
// changes is kept; and programs, which are its own where it sees no others.
const (
	LossWorkspace Loss = "workspace"
	LossProcesses Loss = "processes"
)

//go:embed rows/*.txt
var texts embed.FS

// families are the files of rows, in the order in which they are tried.
var families = []string{
	"input", "machine", "windows", "container", "persist", "agent", "files", "secret", "network", "code", "lang", "work",
	"system", "settings", "git", "outward",
}

// family reads one of them.
func family(name string) []Rule {
	text, _ := texts.ReadFile("rows/" + name + ".txt") // it is there
	return Rows(string(text), whens)
}

// Input is the rows about text that can't be read, or not to its end.
var Input = sync.OnceValue(func() []Rule { return family(families[0]) })

// Balanced is every rule of the profile "balanced", denials first: for one effect the
// first row that matches decides. Within a decision the order is that of families, and of
// the rows in them, special rows before general ones. The examples are judged with the
// workspace and cwd /home/dev/project and the home /home/dev.
var Balanced = sync.OnceValue(func() []Rule {
	all := [][]Rule{Input()}
	for _, name := range families[1:] {
		all = append(all, family(name))
	}
	return StrictestFirst(all...)
})

// examples are those of the rows of this package.
var examples = sync.OnceValue(func() map[string]Examples { return ReadExamples(texts) })

// StrictestFirst keeps the order of rows with the same decision. Sorting rows as large
// as these costs more than looking three times.
func StrictestFirst(families ...[]Rule) []Rule {
	n := 0
	for _, rows := range families {
		n += len(rows)
	}
	out := make([]Rule, 0, n)
	for _, d := range []Decision{Deny, Ask, Allow} {
		for _, rows := range families {
			for i := range rows {
				if rows[i].Decision.Rank() == d.Rank() {
					out = append(out, rows[i])
				}
			}
		}
	}
	return out
}
