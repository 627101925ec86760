package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/rpc"
)

// maxShown findings are told at length; the rest by name.
const maxShown = 3

// words name decisions in the first line of a verdict.
var words = map[string]string{"allow": "allowed", "ask": "asks first", "deny": "denied"}

// told is what a rule found: the first place at length, the others in a line.
type told struct {
	rpc.Finding
	likewise []string
}

// byRule are the findings that decided, one for each rule, and the rest. Two
// ways of reading a text may see the same thing twice, and a list of five
// directories is one mistake, not five.
func byRule(v rpc.GuardVerdict) (main []told, others []string) {
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

// reasons are the findings that decided a verdict, each with the place it points
// at, what it would do, why that matters, and what to do instead.
func reasons(v rpc.GuardVerdict, a asked, p painter) []string {
	var out []string
	var last string
	findings, others := byRule(v)
	for i, t := range findings {
		text, span := a.shown(t.Source, t.Span)
		show := snippet
		if i > 0 {
			out = append(out, "", p.decision(v.Decision, "and")+"  "+visible(t.Message))
			show = excerpt
		}
		if place := strings.Join(show(text, span, p), "\n"); text != "" && place != last {
			out, last = append(append(append(out, ""), indent(place)...), ""), place
		}
		out = append(out, details(t, p)...)
	}
	if names := distinct(others); len(names) > 0 {
		out = append(out, "", fmt.Sprintf("also  %d more (%s)", len(names), strings.Join(first(names, maxShown), ", ")))
	}
	return out
}

func indent(place string) []string {
	var out []string
	for line := range strings.SplitSeq(place, "\n") {
		out = append(out, "    "+line)
	}
	return out
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

func first(names []string, n int) []string {
	if len(names) > n {
		return append(slices.Clone(names[:n]), "…")
	}
	return names
}

func details(t told, p painter) []string {
	var out []string
	if n := len(t.likewise); n > 0 {
		text := strings.Join(t.likewise[:min(n, maxShown)], "; ")
		if n > maxShown {
			text += fmt.Sprintf("; and %d more of the kind", n-maxShown)
		}
		out = append(out, labelled("likewise", text, p)...)
	}
	if t.Explanation != "" {
		out = append(out, labelled("why", t.Explanation, p)...)
	}
	if len(t.Via) > 0 {
		out = append(out, labelled("via", chain(t.Via), p)...)
	}
	if s := t.Suggestion; s != nil {
		out = append(out, labelled("instead", strings.TrimSuffix(s.Title+": "+suggested(s), ": "), p)...)
	}
	return append(out, labelled("rule", t.RuleID, p)...)
}

// chain is how the command came to what it would do, outermost first.
func chain(via []rpc.Link) string {
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

// labelled is text behind a label, in lines of readable length.
func labelled(label, text string, p painter) []string {
	const width, margin = 60, 11
	var out []string
	line := ""
	for word := range strings.FieldsSeq(visible(text)) {
		if line != "" && len([]rune(line+word)) > width {
			out, line = append(out, line), ""
		}
		line = strings.TrimSpace(line + " " + word)
	}
	out = append(out, line)
	for i := range out {
		lead := strings.Repeat(" ", margin)
		if i == 0 {
			lead = "  " + p.faint(label) + lead[2+len(label):]
		}
		out[i] = lead + out[i]
	}
	return out
}

func suggested(s *rpc.Suggestion) string {
	if s.Command != "" {
		return s.Command
	}
	return strings.Join(s.Argv, " ")
}

// sight says how a command that may start would run, and where the guard's sight
// ends: only where it does, or nobody would read it.
func sight(v rpc.GuardVerdict, a asked, unseen []string, p painter) []string {
	if v.Decision == "deny" {
		return nil
	}
	var out []string
	if v.Decision == "allow" {
		out = append(out, labelled("runs as", form(v), p)...)
	}
	for _, o := range unclear(v) {
		out = append(out, labelled("unclear", "shells may read this differently:", p)...)
		out = append(append(append(out, ""), indent(strings.Join(snippet(a.command, o, p), "\n"))...), "")
	}
	if text := unseenPart(v.Parse.Dialect, unseen); text != "" {
		out = append(out, labelled("unseen", text, p)...)
	}
	if len(out) == 0 {
		return nil
	}
	return append([]string{""}, out...)
}

// form is how an allowed command runs.
func form(v rpc.GuardVerdict) string {
	const longest, tail = 200, 40
	switch v.RunAs {
	case "argv":
		return "a program with its arguments, without a shell"
	case "written":
		return "typed: the shell gets your text unchanged"
	}
	text := []rune(v.Canonical)
	if len(text) > longest {
		return string(text[:longest-tail]) + " … " + string(text[len(text)-tail:])
	}
	return string(text)
}

// unseenPart says what the guard did not read.
func unseenPart(dialect string, unseen []string) string {
	switch {
	case dialect == "powershell" || dialect == "cmd":
		return "of " + dialect + " the guard reads commands, not variables, loops or functions"
	case len(unseen) == 0:
		return ""
	}
	return "what " + strings.Join(first(unseen, maxShown), ", ") + " does; the sandbox confines it"
}

// unclear are the opaque places that no finding has shown already.
func unclear(v rpc.GuardVerdict) []rpc.Span {
	out := slices.DeleteFunc(slices.Clone(v.Parse.Opaque), func(o rpc.Span) bool {
		return slices.ContainsFunc(v.Findings, func(f rpc.Finding) bool { return f.Source.Field == "command" && f.Span == o })
	})
	return out[:min(len(out), maxShown)]
}
