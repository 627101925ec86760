package egress

import (
	"net"
	"net/netip"
	"strconv"
	"strings"
)

// target is where a client wants to go: a name or an address, and a port.
type target struct {
	name string
	addr netip.Addr // valid if the client gave a number
	port uint16
}

func (t target) host() string {
	if t.addr.IsValid() {
		return t.addr.String()
	}
	return t.name
}

// String is also the smallest pattern that allows t.
func (t target) String() string {
	return net.JoinHostPort(t.host(), strconv.Itoa(int(t.port)))
}

// parseTarget reads host:port or [address]:port; port is the one that is meant
// if none is written, 0 if one has to be.
func parseTarget(s string, port uint16) (target, string) {
	t := target{port: port}
	host, digits, found := s, "", false
	if inner, ok := strings.CutPrefix(s, "["); ok {
		var rest string
		if host, rest, ok = strings.Cut(inner, "]"); !ok || rest != "" && rest[0] != ':' {
			return t, "has brackets that aren't those of an IPv6 address"
		}
		digits, found = strings.CutPrefix(rest, ":")
		if a, err := netip.ParseAddr(host); err != nil || !a.Is6() || a.Zone() != "" {
			return t, "has no IPv6 address in its brackets"
		}
	} else {
		host, digits, found = strings.Cut(s, ":")
	}
	if found {
		var ok bool
		if t.port, ok = parsePort(digits); !ok {
			return t, "has a port that is no number from 1 to 65535"
		}
	}
	if t.port == 0 {
		return t, "has no port"
	}
	var why string
	t.name, t.addr, why = parseHost(host)
	return t, why
}
