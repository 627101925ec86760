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

// reasons are the findings that decided a verdict, each with the place it points
// at, what it would do, why that matters, and what to do instead.
func reasons(v rpc.GuardVerdict, a asked, p painter) []string {
	var out, others []string
	var last string
	n := 0
	for _, f := range v.Findings {
		if f.Decision != v.Decision || n == maxShown {
			others = append(others, f.RuleID)
			continue
		}
		if n++; n > 1 {
			out = append(out, "", p.decision(v.Decision, "and")+"  "+visible(f.Message))
		}
		text, span := a.shown(f.Source, f.Span)
		if place := strings.Join(snippet(text, span, p), "\n"); text != "" && place != last {
			out, last = append(append(append(out, ""), indent(place)...), ""), place
		}
		out = append(out, details(f, p)...)
	}
	if len(others) > 0 {
		out = append(out, "", fmt.Sprintf("also  %d more (%s)", len(others), strings.Join(first(others, maxShown), ", ")))
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

func first(names []string, n int) []string {
	seen := map[string]bool{}
	var out []string
	for _, name := range names {
		if seen[name] {
			continue
		}
		if seen[name] = true; len(out) == n {
			return append(out, "…")
		}
		out = append(out, name)
	}
	return out
}

func details(f rpc.Finding, p painter) []string {
	var out []string
	if f.Explanation != "" {
		out = append(out, labelled("why", f.Explanation, p)...)
	}
	if len(f.Via) > 0 {
		out = append(out, labelled("via", chain(f.Via), p)...)
	}
	if s := f.Suggestion; s != nil {
		out = append(out, labelled("instead", strings.TrimSuffix(s.Title+": "+suggested(s), ": "), p)...)
	}
	return append(out, labelled("rule", f.RuleID, p)...)
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

// sight says where the guard's sight ends, for a command that may start.
func sight(v rpc.GuardVerdict, a asked, p painter) []string {
	if v.Decision == "deny" {
		return nil
	}
	out := []string{""}
	if v.RunAs == "canonical" && v.Decision == "allow" {
		out = append(out, labelled("runs as", v.Canonical, p)...)
	}
	for _, o := range unclear(v) {
		out = append(out, labelled("unclear", "shells may read this differently:", p)...)
		out = append(append(append(out, ""), indent(strings.Join(snippet(a.command, o, p), "\n"))...), "")
	}
	return append(out, labelled("beyond", "the guard reads this text only; what make, scripts, build tools and other programs then do is decided by the sandbox", p)...)
}

// unclear are the opaque places that no finding has shown already.
func unclear(v rpc.GuardVerdict) []rpc.Span {
	out := slices.DeleteFunc(slices.Clone(v.Parse.Opaque), func(o rpc.Span) bool {
		return slices.ContainsFunc(v.Findings, func(f rpc.Finding) bool { return f.Source.Field == "command" && f.Span == o })
	})
	return out[:min(len(out), maxShown)]
}
