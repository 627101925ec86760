package rpc

import "github.com/pillion-sidecar/pillion/guard"

// Verdict is the guard's verdict in the protocol's form, the one form in which
// it is shown to anybody.
func Verdict(v guard.Verdict) GuardVerdict {
	return GuardVerdict{
		Decision: string(v.Decision), Findings: findings(v.Findings),
		Parse:  parse(v.Parse),
		Policy: PolicyID{ID: v.PolicyID, Version: v.PolicyVersion, Hash: v.PolicyHash},
		RunAs:  v.RunAs, Canonical: v.Canonical, Commands: commandVerdicts(v.Commands),
	}
}

func execVerdict(v guard.Verdict) ExecVerdict {
	return ExecVerdict{
		Decision: string(v.Decision), Findings: findings(v.Findings), RunAs: v.RunAs, Canonical: v.Canonical,
		Commands: commandVerdicts(v.Commands),
	}
}

func commandVerdicts(list []guard.CommandVerdict) []CommandVerdict {
	var out []CommandVerdict
	for _, c := range list {
		out = append(out, CommandVerdict{Decision: string(c.Decision), Parse: parse(c.Parse), RunAs: c.RunAs, Canonical: c.Canonical})
	}
	return out
}

func parse(p guard.Parse) Parse {
	return Parse{Dialect: p.Dialect, Complete: p.Complete, Opaque: spans(p.Opaque)}
}

func findings(list []guard.Finding) []Finding {
	out := make([]Finding, 0, len(list))
	for _, f := range list {
		out = append(out, Finding{
			RuleID: f.RuleID, Severity: f.Severity, Decision: string(f.Decision), Message: f.Message,
			Explanation: f.Explanation, Source: source(f.Source), Span: Span(f.Span), Via: links(f.Via),
			Suggestion: suggestion(f.Suggestion),
		})
	}
	return out
}

// source leaves the index out where the field has none: 0 is a real index.
func source(s guard.Source) Source {
	out := Source{Field: s.Field, Name: s.Name}
	if s.Field == "argv" || s.Field == "commands" {
		out.Index = &s.Index
	}
	return out
}

func links(via []guard.Link) []Link {
	out := make([]Link, 0, len(via))
	for _, l := range via {
		out = append(out, Link{Construct: l.Construct, Text: l.Text, Span: Span(l.Span)})
	}
	return out
}

func spans(list []guard.Span) []Span {
	out := make([]Span, 0, len(list))
	for _, s := range list {
		out = append(out, Span(s))
	}
	return out
}

func suggestion(s *guard.Suggestion) *Suggestion {
	if s == nil {
		return nil
	}
	return &Suggestion{Title: s.Title, Command: s.Command, Argv: s.Argv}
}
