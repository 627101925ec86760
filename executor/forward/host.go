package forward

import (
	"context"
	"net"
	"net/netip"
)

// ToHost leads what is accepted inside to a port of the host's loopback, and to no other
// address, until the listener is closed.
func ToHost(in net.Listener) *Forward {
	port := in.Addr().(*net.TCPAddr).AddrPort().Port()
	return carrying(in, host{}, netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), port))
}

// host is this machine's network.
type host struct{}

// Dial tries ::1 too: some servers listen there alone.
func (host) Dial(ctx context.Context, to netip.AddrPort) (net.Conn, error) {
	var d net.Dialer
	c, err := d.DialContext(ctx, "tcp4", to.String())
	if err != nil {
		six := netip.AddrPortFrom(netip.IPv6Loopback(), to.Port())
		if c, bad := d.DialContext(ctx, "tcp6", six.String()); bad == nil {
			return c, nil
		}
	}
	return c, err
}
