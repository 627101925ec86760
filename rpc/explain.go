package rpc

import (
	"strings"

	"github.com/pillion-sidecar/pillion/config"
	"github.com/pillion-sidecar/pillion/guard"
	"github.com/pillion-sidecar/pillion/rpc/convert"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

// guardExplain answers about one rule.
func (s *server) guardExplain(p *protocol.ExplainParams) (any, error) {
	policy := s.commands().Guard()
	if r, ok := policy.Rule(p.RuleID); ok {
		return Explain(r), nil
	}
	ids := RuleIDs(policy)
	data := protocol.UnknownRuleData{ErrorData: convert.Kind("unknownRule"), RuleID: protocol.Clip(p.RuleID), Nearest: config.Nearest(p.RuleID, ids)}
	return nil, convert.Refuse(protocol.CodeUnknownRule, data, "%s", config.Unknown("rule", p.RuleID, ids))
}

// RuleIDs are the ids of a policy's rules.
func RuleIDs(p guard.Policy) []string {
	var ids []string
	for _, r := range p.Table() {
		ids = append(ids, r.ID)
	}
	return ids
}

// Explain is a rule in the protocol's form.
func Explain(r guard.Rule) protocol.ExplainResult {
	return protocol.ExplainResult{
		RuleID: r.ID, Title: r.Title, Rationale: r.Why, Decision: r.Decision, Severity: r.Severity, Instead: r.Safer,
		Examples:        protocol.RuleExamples{Blocked: sendable(r.Match), Allowed: sendable(r.NotMatch)},
		CodeDescription: protocol.CodeDescription{Href: rulesPage + RuleAnchor(r.ID)},
	}
}

// sendable leaves out examples that JSON can't carry, which are about invalid
// UTF-8; an empty list stays a list.
func sendable(examples []string) []string {
	out := make([]string, 0, len(examples))
	for _, e := range examples {
		if strings.ToValidUTF8(e, "") == e {
			out = append(out, e)
		}
	}
	return out
}

const rulesPage = "https://github.com/pillion-sidecar/pillion/blob/main/docs/rules.md#"

// RuleAnchor is the part of docs/rules.md that is about a rule: what a Markdown
// renderer makes of the id as a heading.
func RuleAnchor(id string) string { return strings.ReplaceAll(strings.ToLower(id), "/", "") }
