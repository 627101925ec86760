package convert

import (
	"github.com/pillion-sidecar/pillion/guard"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

// Verdict is the guard's verdict in the protocol's form, the one form in which
// it is shown to anybody.
func Verdict(v guard.Verdict) protocol.GuardVerdict {
	return protocol.GuardVerdict{
		Decision: v.Decision, Findings: findings(v.Findings),
		Parse:  parse(v.Parse),
		Policy: protocol.PolicyID{ID: v.PolicyID, Version: v.PolicyVersion, Hash: v.PolicyHash},
		RunAs:  protocol.RunAs(v.RunAs), Canonical: v.Canonical, Commands: commandVerdicts(v.Commands),
	}
}

func execVerdict(v guard.Verdict) protocol.ExecVerdict {
	return protocol.ExecVerdict{
		Decision: v.Decision, Findings: findings(v.Findings), RunAs: protocol.RunAs(v.RunAs), Canonical: v.Canonical,
		Commands: commandVerdicts(v.Commands),
	}
}

func commandVerdicts(list []guard.CommandVerdict) []protocol.CommandVerdict {
	var out []protocol.CommandVerdict
	for _, c := range list {
		out = append(out, protocol.CommandVerdict{Decision: c.Decision, Parse: parse(c.Parse), RunAs: protocol.RunAs(c.RunAs), Canonical: c.Canonical})
	}
	return out
}

func parse(p guard.Parse) protocol.Parse {
	return protocol.Parse{Dialect: p.Dialect, Complete: p.Complete, Opaque: spans(p.Opaque)}
}

func findings(list []guard.Finding) []protocol.Finding {
	out := make([]protocol.Finding, 0, len(list))
	for _, f := range list {
		out = append(out, protocol.Finding{
			RuleID: f.RuleID, Severity: f.Severity, Decision: f.Decision, Message: f.Message,
			Explanation: f.Explanation, Source: source(f.Source), Span: protocol.Span(f.Span), Via: links(f.Via),
			Suggestion: suggestion(f.Suggestion), Loss: f.Loss,
		})
	}
	return out
}

// source leaves the index out where the field has none: 0 is a real index.
func source(s guard.Source) protocol.Source {
	out := protocol.Source{Field: protocol.SourceField(s.Field), Name: s.Name}
	if s.Field == "argv" || s.Field == "commands" {
		out.Index = &s.Index
	}
	return out
}

func links(via []guard.Link) []protocol.Link {
	out := make([]protocol.Link, 0, len(via))
	for _, l := range via {
		out = append(out, protocol.Link{Construct: l.Construct, Text: l.Text, Span: protocol.Span(l.Span)})
	}
	return out
}

func spans(list []guard.Span) []protocol.Span {
	out := make([]protocol.Span, 0, len(list))
	for _, s := range list {
		out = append(out, protocol.Span(s))
	}
	return out
}

func suggestion(s *guard.Suggestion) *protocol.Suggestion {
	if s == nil {
		return nil
	}
	return &protocol.Suggestion{Title: s.Title, Command: s.Command, Argv: s.Argv}
}
