package sandbox

import "net"

// EgressPort is where, on 127.0.0.1 inside, the listener of a sandbox with
// NetworkProxy is on Linux. Its address says it everywhere. It is below 1024, and no command has the capability to bind
// such a port: on no address of the sandbox's own loopback ([::1], 127.0.0.2)
// can one pretend to other commands that it were the proxy. The sandbox's
// processes hold the port on 127.0.0.1 as long as they live, whether or not
// anybody listens.
const EgressPort = 880

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
