package rule

import (
	"cmp"
	"embed"
	"strings"
	"sync"

	"github.com/pillion-sidecar/pillion/guard/effect"
)

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
