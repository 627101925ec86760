package display

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/pillion-sidecar/pillion/executor"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

// What is shown of a command that a person decides about. The middle of a longer one is
// left out, and a mark says so: a dialog may have no scroll bar.
const (
	maxAskedRunes = 4000
	maxAskedLines = 40
)

// Question is all that a person decides by: the exact text, where it would run, how it
// is confined, and why it is asked about.
func Question(p protocol.ApprovalParams) []protocol.DisplayLine {
	out := []protocol.DisplayLine{line(protocol.ToneTitle, p.Title)}
	if warning := live[p.Reason]; warning != "" {
		out = append(out, line(protocol.ToneWarn, warning+" Asked for by:"))
	}
	out = append(out, whole(p.Subject, p.Findings)...)
	out = append(out, circumstances(p)...)
	seen := map[string]bool{}
	for _, f := range p.Findings {
		if seen[f.Message] {
			continue
		}
		seen[f.Message] = true
		out = append(out, line(protocol.ToneWarn, Spelled(f.Message)))
		out = append(out, details(told{Finding: f})...)
	}
	for _, g := range p.Gives {
		out = append(out, Row("gives", protocol.ToneReason, access(g)+", for this run"))
	}
	if p.SessionRule != nil {
		what := "exactly this command, here"
		switch p.SessionRule.Kind {
		case protocol.RuleHost:
			what = "this host, in all sandboxes"
		case protocol.RuleAccess:
			what = "exactly this, for every command"
		}
		out = append(out, Row("session", protocol.ToneDim, what))
	}
	if p.Always != nil {
		out = append(out, Row("always", protocol.ToneDim, permanent(*p.Always)))
	}
	return out
}

// Warning is about what a running command waits for, "" where none does.
func Warning(r protocol.AskedFor) string { return live[r] }

var live = map[protocol.AskedFor]string{
	protocol.AskedByNetwork: "What the sandbox can read can be sent there.",
	protocol.AskedByUse:     "Until it ends, what it sends or signs by this passes for yours.",
}

// whole is the exact text, with all that the findings are about.
func whole(s protocol.ApprovalSubject, findings []protocol.Finding) (out []protocol.DisplayLine) {
	c := Asked{s.Command, s.Argv, s.Commands}
	texts := map[int]bool{0: true}
	for i := range s.Commands {
		texts[i] = true
	}
	hidden := 0
	for i := range len(texts) {
		index := i
		text, _ := c.place(protocol.Source{Index: &index}, protocol.Span{})
		var spans []protocol.Span
		for _, f := range findings {
			if f.Source.Field == protocol.FieldEnv || len(s.Commands) > 0 && (f.Source.Index == nil || *f.Source.Index != i) {
				continue
			}
			_, span := c.place(f.Source, f.Span)
			spans = append(spans, span)
		}
		number := ""
		if len(s.Commands) > 0 {
			number = fmt.Sprintf("%d. ", i+1)
		}
		lines, missing := full(number, text, spans, max(maxAskedRunes/len(texts), 40))
		out, hidden = append(out, lines...), hidden+missing
	}
	if hidden > 0 {
		out = append(out, line(protocol.ToneWarn, fmt.Sprintf("%d characters in the middle of it are not shown.", hidden)))
	}
	if s.IgnoreErrors {
		out = append(out, Row("each", protocol.ToneReason, "also after one that fails"))
	}
	return out
}

// full is a text with its spans. The lines of a command have a margin, so that none can
// pass for a line of the question.
func full(number, text string, spans []protocol.Span, most int) (out []protocol.DisplayLine, hidden int) {
	const half, least = maxAskedLines / 2, 40
	lines := strings.Split(text, "\n")
	per := max(most/min(len(lines), maxAskedLines), least)
	at := 0
	for i, l := range lines {
		local := make([]protocol.Span, len(spans))
		for k, s := range spans {
			local[k] = protocol.Span{Start: s.Start - at, End: s.End - at}
		}
		at += len(l) + 1
		switch n := utf8.RuneCountInString(l); {
		case len(lines) > maxAskedLines && i >= half && i < len(lines)-half:
			if i == half {
				out = append(out, line(protocol.ToneDim, Indent+"…"))
			}
			hidden += n + 1
		case n > per:
			out = append(out, line(protocol.ToneCommand, Indent+number+Clip(l, per)))
			hidden += n - per
		default:
			out = append(out, marked(number, l, local, false))
		}
		number = strings.Repeat(" ", len(number))
	}
	return out, hidden
}

func circumstances(p protocol.ApprovalParams) []protocol.DisplayLine {
	s := p.Subject
	out := []protocol.DisplayLine{Row("in", protocol.ToneReason, Spelled(s.Cwd)), Row("sandbox", Held(s.Sandbox), s.Sandbox.Text)}
	if len(s.Env) > 0 {
		out = append(out, Row("sets", protocol.ToneReason, strings.Join(s.Env, " ")))
	}
	if s.Stdin > 0 {
		out = append(out, Row("input", protocol.ToneReason, fmt.Sprintf("%d bytes that the guard has not read", s.Stdin)))
	}
	if s.Open {
		out = append(out, Row("input", protocol.ToneReason, "more of it may come while it runs"))
	}
	if p.Description != "" {
		out = append(out, Row("said", protocol.ToneDim, p.Description))
	}
	return out
}

// permanent is what an answer for good would keep.
func permanent(g protocol.PermanentGrant) string {
	if g.Scope == protocol.ScopeWorkspace {
		return "exactly this command, in " + Line(g.Folder) + " and below, also tomorrow"
	}
	return map[executor.GrantKind]string{
		executor.GrantHost: "this host, in every workspace, also tomorrow",
		executor.GrantKey:  "exactly this, for every command, also tomorrow", executor.GrantCredentials: "exactly this, for every command, also tomorrow",
		executor.GrantRead: "every command may do this, also tomorrow", executor.GrantWrite: "every command may do this, also tomorrow",
	}[g.Kind]
}

// access is what a path is given for.
func access(g protocol.AccessGrant) string {
	verb := "reading "
	if g.Kind == executor.GrantWrite {
		verb = "writing in "
	}
	return verb + Spelled(g.Value)
}
