package sandbox

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"net/url"

	"github.com/pillion-sidecar/pillion/sandbox/hostgit"
	"github.com/pillion-sidecar/pillion/sandbox/policy"
	"github.com/pillion-sidecar/pillion/sandbox/wire"
)

// EgressPort is where the listener of a sandbox with NetworkProxy is on Linux, on
// 127.0.0.1 inside. Its address says it everywhere.
const EgressPort = wire.EgressPort

// Egress is the listener in the network of a sandbox with NetworkProxy. What a command
// connects to at its address is accepted here. On Linux the host has no such port; on
// macOS it is the host's, and the only one a command reaches. There is one for each
// sandbox, and every call gives the same one. It lasts as long as the sandbox, also when
// its processes end and begin again. Close refuses what connects from then on; Egress is
// then ErrClosed. No command starts before it was asked for.
func (s *Sandbox) Egress() (net.Listener, error) {
	l, err := s.box.listener()
	if err != nil {
		return nil, &SetupError{Stage: "egress", Err: err}
	}
	return l, nil
}

// Lookups calls told, which must not wait, with each name that a command of a denied
// network looks up, until stop; alone says that they go nowhere else. Only namespaces have
// that.
func (s *Sandbox) Lookups(told func(name string, alone bool)) (stop func()) {
	return s.box.desk.Hear(told)
}

// HostPorts are listeners in the network of a sandbox with NetworkProxy, one for each of
// the policy's HostPorts that can be had, in their order: what a command connects to at
// that port of HostName is accepted there. They last as Egress does; who serves that
// serves them.
func (s *Sandbox) HostPorts() []net.Listener { return s.box.hostPorts }

var errNoEgress = errors.New("the sandbox's network is not one with a proxy")

// unattended refuses to start a command whose network is not served: it would wait for
// answers that never come.
func (s *Sandbox) unattended() error {
	return &UnavailableError{Requested: s.policy, Effective: s.enforcement, Missing: []Missing{{
		Feature: "network", Reason: "nobody serves the proxy of this sandbox",
		Hint: `use network "deny", or "allow" where trusted configuration grants it`,
	}}}
}

// Credential is what the user's own git, outside, logs in to a host with, nil where it has
// nothing without asking. Programs in the roots, where commands write, are not run.
func Credential(ctx context.Context, host, path string, roots []string) (*url.Userinfo, error) {
	return hostgit.Credential(ctx, host, path, roots)
}

// LendsLogins says whether this platform has Credential.
const LendsLogins = hostgit.Lends

// HasCredentials says whether the user's own git has a helper to ask about a host. None is asked.
func HasCredentials(ctx context.Context, host string, roots []string) bool {
	return hostgit.HasHelper(ctx, host, roots)
}

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
