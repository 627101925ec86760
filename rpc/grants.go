package rpc

import (
	"github.com/pillion-sidecar/pillion/rpc/convert"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

// guardGrants lists or takes back what was accepted for this session.
func (s *server) guardGrants(p *protocol.GrantsParams) (any, error) {
	engine := s.commands()
	if err := convert.Word("/action", p.Action, "list", "clear"); err != nil {
		return nil, err
	}
	switch {
	case p.Action == "list" && p.GrantID != "":
		return nil, protocol.Invalid("/grantId", `none with "list"`, "one")
	case p.Action == "clear":
		engine.Revoke(p.GrantID)
		s.record().Revoked(p.GrantID)
	}
	out := protocol.GrantsResult{Grants: []protocol.Grant{}}
	for _, g := range engine.Grants() {
		out.Grants = append(out.Grants, protocol.Grant{GrantID: g.ID, Rule: convert.SessionRule(g.Rule), CreatedAt: protocol.Stamp(g.Created), Uses: g.Uses})
	}
	return out, nil
}
