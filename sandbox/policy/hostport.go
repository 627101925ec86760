package policy

import "fmt"

// HostName is what commands call the host by whose HostPorts they reach, and HostAddress
// what it means: the sandbox's own loopback, where the sidecar listens for it.
const HostName = "host.pillion"

// HostAddress is an address at which no server listens by itself.
var HostAddress = [4]byte{127, 0, 80, 1}

// MaxHostPorts bounds a policy's HostPorts.
const MaxHostPorts = 32

// ValidPort says that a port can be named.
func ValidPort(port int) bool { return port > 0 && port < 1<<16 }

func (p Policy) validateHostPorts() *Missing {
	if len(p.HostPorts) > MaxHostPorts {
		return &Missing{Feature: "ports", Reason: fmt.Sprintf("%d ports of the host are named, at most %d can be", len(p.HostPorts), MaxHostPorts)}
	}
	for _, port := range p.HostPorts {
		if !ValidPort(port) {
			return &Missing{Feature: "ports", Reason: fmt.Sprintf("%d is no port", port)}
		}
	}
	return nil
}

// HostPortGrant is the line of a policy that gives a port of the host; 0 is any.
func HostPortGrant(port int) string {
	if port == 0 {
		return "policy.network.ports"
	}
	return fmt.Sprintf("policy.network.ports %d", port)
}
