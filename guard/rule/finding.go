package rule

import (
	"cmp"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/effect"
)

// Finding is what a row that matches says of an effect.
func (r *Rule) Finding(e *effect.Effect) Finding {
	f := Finding{
		RuleID: r.ID, Severity: r.Severity, Decision: r.Decision,
		Message: strings.NewReplacer("{what}", what(e), "{name}", e.Name).Replace(r.Message), Explanation: r.Why,
		Source: e.Source, Span: e.Span, Via: e.Via, Verbatim: r.Verbatim,
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
	Command string   // shell text, "" when there is none to offer
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
	Loss        Loss `json:",omitzero"` // all that is at stake; "" is more than a Loss names
}

// Loss is what a command can do no worse than lose.
type Loss string

// LossWorkspace are files that a command of the sandbox can write, and that come back
// where what it changes is kept.
const LossWorkspace Loss = "workspace"
