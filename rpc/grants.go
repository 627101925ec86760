package rpc

import (
	"fmt"

	"github.com/pillion-sidecar/pillion/executor"
)

// guardGrants lists or takes back what was accepted for this session.
func (s *server) guardGrants(p *GrantsParams) (any, error) {
	engine := s.commands()
	switch {
	case p.Action != "list" && p.Action != "clear":
		return nil, invalidParams("/action", "one of list, clear", fmt.Sprintf("%.40q", p.Action))
	case p.Action == "list" && p.GrantID != "":
		return nil, invalidParams("/grantId", `none with "list"`, "one")
	case p.Action == "clear":
		engine.Revoke(p.GrantID)
		s.record().revoked(p.GrantID)
	}
	out := GrantsResult{Grants: []Grant{}}
	for _, g := range engine.Grants() {
		out.Grants = append(out.Grants, Grant{GrantID: g.ID, Rule: sessionRule(g.Rule), CreatedAt: stamp(g.Created), Uses: g.Uses})
	}
	return out, nil
}

func sessionRule(r executor.SessionRule) SessionRule {
	kind := "exact"
	if r.Host != "" {
		kind = "host"
	}
	return SessionRule{
		Kind: kind, Host: r.Host, Command: r.Command, Argv: r.Argv, Commands: r.Commands, Ignore: r.Ignore, Shell: r.Shell, RuleIDs: r.RuleIDs, Cwd: r.Cwd,
		Sandbox: string(r.Mode), Network: string(r.Network), PolicyHash: r.PolicyHash,
	}
}

func execApproval(a executor.Approval) *ExecApproval {
	if a.Choice == "" {
		return nil
	}
	return &ExecApproval{Decision: string(a.Choice), GrantID: a.GrantID, Command: a.Command, Argv: a.Argv, Commands: a.Commands}
}
