package display

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

// maxShown findings are shown at length; the rest by name.
const maxShown = 3

// told is a rule's finding: the first place at length, the others in a line.
type told struct {
	protocol.Finding
	likewise []string
}

// byRule are the findings that decided, one for each rule, and the rest. Two
// ways of reading a text may see the same thing twice, and a list of five
// directories is one mistake, not five.
func byRule(v protocol.GuardVerdict) (main []told, others []string) {
	for _, f := range v.Findings {
		i := slices.IndexFunc(main, func(t told) bool { return t.RuleID == f.RuleID })
		switch {
		case f.Decision == v.Decision && i < 0:
			main = append(main, told{Finding: f})
		case i < 0:
			others = append(others, f.RuleID)
		case f.Decision == v.Decision && f.Message != main[i].Message && !slices.Contains(main[i].likewise, f.Message):
			main[i].likewise = append(main[i].likewise, f.Message)
		}
	}
	for _, t := range main[min(len(main), maxShown):] {
		others = append(others, t.RuleID)
	}
	return main[:min(len(main), maxShown)], others
}

// decisions are the words for a decision.
var decisions = map[guard.Decision]string{guard.Allow: "allowed", guard.Ask: "asks first", guard.Deny: "denied"}

// Headline is a verdict in a line.
func Headline(v protocol.GuardVerdict) protocol.DisplayLine {
	rest := " (runs in the sandbox)"
	switch {
	case v.Decision == guard.Allow:
	case len(v.Findings) > 0 && v.Findings[0].Message != "":
		rest = ": " + Spelled(v.Findings[0].Message)
	default:
		rest = ": by the policy " + Spelled(v.Policy.ID)
	}
	return pieces(protocol.ToneReason,
		protocol.DisplaySpan{Text: decisions[v.Decision], Tone: Decided(v.Decision)},
		protocol.DisplaySpan{Text: rest, Tone: protocol.ToneReason})
}

// Verdict is the findings that decided, each with the place it points at, what it would
// do, why that matters, and what to do instead. The first one's message is the
// headline's.
func Verdict(v protocol.GuardVerdict, c Asked) []protocol.DisplayLine {
	var out []protocol.DisplayLine
	last := ""
	findings, others := byRule(v)
	for i, t := range findings {
		text, span := c.place(t.Source, t.Span)
		show := snippet
		if i > 0 {
			out = append(out, line(Decided(v.Decision), "and  "+Spelled(t.Message)))
			show = excerpt
		}
		if place := show(text, span); text != "" && Plain(place) != last {
			out, last = append(out, place...), Plain(place)
		}
		out = append(out, details(t)...)
	}
	if names := distinct(others); len(names) > 0 {
		out = append(out, line(protocol.ToneDim, fmt.Sprintf("also  %d more (%s)", len(names), strings.Join(first(names), ", "))))
	}
	return out
}

func details(t told) (out []protocol.DisplayLine) {
	if n := len(t.likewise); n > 0 {
		text := strings.Join(t.likewise[:min(n, maxShown)], "; ")
		if n > maxShown {
			text += fmt.Sprintf("; and %d more of the kind", n-maxShown)
		}
		out = append(out, Row("likewise", protocol.ToneReason, text))
	}
	if t.Explanation != "" {
		out = append(out, Row("why", protocol.ToneReason, t.Explanation))
	}
	if len(t.Via) > 0 {
		out = append(out, Row("via", protocol.ToneDim, chain(t.Via)))
	}
	if s := t.Suggestion; s != nil {
		out = append(out, Row("instead", protocol.ToneRemedy, Instead(s)))
	}
	return append(out, Row("rule", protocol.ToneRule, t.RuleID))
}

// chain is how the command came to what it would do, outermost first.
func chain(via []protocol.Link) string {
	var out []string
	for _, l := range via {
		out = append(out, l.Construct)
	}
	const longest = 60
	text := via[len(via)-1].Text
	if runes := []rune(text); len(runes) > longest {
		text = "… " + string(runes[len(runes)-longest:])
	}
	if text = strings.TrimSpace(text); text != "" && text != "…" {
		out = append(out, text)
	}
	return strings.Join(out, " → ")
}

// Instead is what to do instead, and the command for it unless one holds the other.
func Instead(s *protocol.Suggestion) string {
	command := cmp.Or(s.Command, strings.Join(s.Argv, " "))
	if command == "" || strings.Contains(s.Title, command) {
		return s.Title
	}
	if strings.HasPrefix(command, s.Title) {
		return command
	}
	return s.Title + ": " + command
}

// first are a few names of many.
func first(names []string) []string {
	if len(names) > maxShown {
		return append(slices.Clone(names[:maxShown]), "…")
	}
	return names
}

// distinct is a list without what it had before, in its order.
func distinct(names []string) (out []string) {
	for _, name := range names {
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}
