package rpc

import (
	"time"

	"github.com/pillion-sidecar/pillion/config"
	"github.com/pillion-sidecar/pillion/executor"
	"github.com/pillion-sidecar/pillion/rpc/display"
)

// rememberer keeps for good what a person has said yes to, nil for a client that does not say
// that a person answers it: an agent must not write the policy that judges its next command.
func (s *server) rememberer() func(executor.Permanent) error {
	if !s.client.Exec.Grants || s.opts.Config.PolicyFile == "" {
		return nil
	}
	return s.remember
}

// remember writes one row to the user's own policy file, and to no other.
func (s *server) remember(p executor.Permanent) error {
	err := config.Remember(resolvedLinks(s.opts.Config.PolicyFile), row(p))
	if err != nil {
		s.tellPerson("pillion: this is not remembered: " + err.Error())
		return err
	}
	s.log.Info("remembered", "kind", p.Access.Kind, "value", display.Line(p.Access.Value))
	return nil
}

// row is what the user's policy has of it.
func row(p executor.Permanent) config.GrantOptions {
	g := config.GrantOptions{Given: time.Now().Format(time.DateOnly)}
	switch p.Access.Kind {
	case executor.GrantHost:
		g.Host = p.Access.Value
	case executor.GrantRead:
		g.Read = p.Access.Value
	case executor.GrantWrite:
		g.Write = p.Access.Value
	case executor.GrantKey:
		g.Key = p.Access.Value
	case executor.GrantCredentials:
		g.Credentials = p.Access.Value
	case executor.GrantCommand:
		c := p.Standing
		g.Command, g.Argv, g.Rules, g.Folder, g.Mode, g.Network = c.Command, c.Argv, c.RuleIDs, c.Folder, c.Mode, c.Network
	}
	return g
}
