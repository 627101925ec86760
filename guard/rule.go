package guard

import (
	"cmp"
	"slices"
	"strings"
)

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
	Verbatim bool     // Message is a sentence that clients know and compare, to be passed on unchanged

	when func(w *walker, e *effect) bool
	say  func(e *effect) string // the message, where it depends on the effect
}

// Rules is the built-in table, in the order the rows are tried: for one effect
// the first row that matches speaks, so stricter rows come first.
func Rules() []Rule {
	out := slices.Clone(table())
	for i := range out {
		out[i].Match, out[i].NotMatch = slices.Clone(out[i].Match), slices.Clone(out[i].NotMatch)
	}
	return out
}

// judge applies the table to one effect. A policy's Decisions may have changed
// the order of strictness: then the strictest row that matches speaks, and a
// silenced one says nothing, so that the general rows behind it still do.
func (w *walker) judge(e *effect) (found Finding, ok bool) {
	if f, ok := w.judgePolicy(e); ok {
		return f, true
	}
	for i := range w.rows {
		r := &w.rows[i]
		d := w.policy.decision(r)
		if d == Allow && r.Decision != Allow || ok && d.rank() <= found.Decision.rank() || !r.when(w, e) {
			continue
		}
		if ok = d != Allow; !ok {
			return Finding{}, false
		}
		found = r.finding(e)
		found.Decision = d
		if d == Deny || len(w.policy.Decisions) == 0 {
			break
		}
	}
	return found, ok
}

func (r *Rule) finding(e *effect) Finding {
	f := Finding{
		RuleID: r.ID, Severity: r.Severity, Decision: r.Decision,
		Message: strings.ReplaceAll(r.Message, "{what}", e.what()), Explanation: r.Why,
		Source: e.source, Span: e.span, Via: e.via, Verbatim: r.Verbatim,
	}
	if r.say != nil {
		f.Message = r.say(e)
	}
	f.Message = strings.TrimSuffix(f.Message, " (…)") // all of it is known at run time only
	if r.Safer != "" {
		f.Suggestion = &Suggestion{Title: r.Safer}
	}
	return f
}

// what names an effect in a message, short and without the unknown mark.
func (e *effect) what() string {
	text := strings.TrimSuffix(e.text, someFile)
	if text != e.text {
		return "what it finds in " + cmp.Or(text, "/")
	}
	said := strings.Contains(e.text, e.path) || e.inside && strings.HasSuffix(e.path, "/"+strings.TrimPrefix(e.text, "./"))
	if e.path != "" && e.kind != kindExec && !said {
		text += " (" + e.path + ")"
	}
	if len(text) > 120 {
		text = strings.ToValidUTF8(text[:120], "") + "…"
	}
	return strings.ReplaceAll(text, unknown, "…")
}
