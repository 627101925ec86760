package sandbox

import (
	"errors"
	"net"

	"github.com/pillion-sidecar/pillion/sandbox/wire"
)

// EgressPort is where the listener of a sandbox with NetworkProxy is on Linux, on
// 127.0.0.1 inside. Its address says it everywhere.
const EgressPort = wire.EgressPort

// Egress is the listener in the network of a sandbox with NetworkProxy. What a
// command connects to at its address is accepted here. On Linux the host has no such
// port; on macOS it is the host's, and the only one a command reaches. There is one for each sandbox, and every call gives the same one. It
// lasts as long as the sandbox, also when its processes end and begin again.
// Close refuses what connects from then on; Egress is then ErrClosed. No command
// starts before it was asked for.
func (s *Sandbox) Egress() (net.Listener, error) {
	l, err := s.box.listener()
	if err != nil {
		return nil, &SetupError{Stage: "egress", Err: err}
	}
	return l, nil
}

var errNoEgress = errors.New("the sandbox's network is not one with a proxy")

// unattended refuses to start a command whose network nobody serves: it would wait
// for answers that nobody gives.
func (s *Sandbox) unattended() error {
	return &UnavailableError{Requested: s.policy, Effective: s.enforcement, Missing: []Missing{{
		Feature: "network", Reason: "nobody serves the proxy of this sandbox",
		Hint: `use network "deny", or "allow" where trusted configuration grants it`,
	}}}
}
