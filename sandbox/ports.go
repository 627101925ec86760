package sandbox

import (
	"context"
	"net"
	"net/netip"

	"github.com/pillion-sidecar/pillion/sandbox/policy"
)

// Dial connects to a port in the sandbox's own network, of whatever listens there.
// *UnavailableError: it has none.
func (s *Sandbox) Dial(ctx context.Context, at netip.AddrPort) (net.Conn, error) {
	if err := s.Reachable(); err != nil {
		return nil, err
	}
	return s.box.dial(ctx, at)
}

// Reachable says why nothing can be connected to in the sandbox's network:
// *UnavailableError where that is not its own.
func (s *Sandbox) Reachable() error {
	if s.box.apart() {
		return nil
	}
	why := Missing{Feature: "ports", Reason: "commands have no network of their own on this machine"}
	if s.policy.Network == policy.NetworkAllow || s.policy.Mode == Off {
		why.Reason = "the command has the host's network: what it listens on is reached without help"
	}
	return &UnavailableError{Requested: s.policy, Effective: s.enforcement, Missing: []Missing{why}}
}
