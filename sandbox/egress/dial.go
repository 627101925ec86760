package egress

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"slices"
	"strings"
)

// dial connects to t, which may be reached by its name. The name is looked up
// once; every address is checked, and only a checked one is dialled, by number:
// a second look-up could answer something else. A person is asked about one that isn't
// public, where no other will do: of a name that they have accepted they don't know that
// it leads there.
func (p *Proxy) dial(ctx context.Context, t target, peer Peer) (net.Conn, error) {
	addrs, err := p.lookup(ctx, t)
	if err != nil {
		return nil, &unreachable{t, err}
	}
	var refusal *Refusal
	var failed []error
	for _, addr := range addrs {
		if r := p.vet(t, addr); r != nil {
			if refusal == nil {
				refusal = r
			}
			continue
		}
		conn, err := p.dialAddr(ctx, netip.AddrPortFrom(addr, t.port))
		if err == nil {
			return conn, nil
		}
		failed = append(failed, err)
	}
	if failed == nil && refusal != nil {
		addr, err := netip.ParseAddr(refusal.Addr)
		if err != nil || refusal.asked == "" || !p.ask(ctx, target{addr: addr, port: t.port}, t.leads(refusal.asked), peer) {
			return nil, refusal
		}
		conn, err := p.dialAddr(ctx, netip.AddrPortFrom(addr, t.port))
		if err == nil {
			return conn, nil
		}
		failed = append(failed, err)
	}
	return nil, &unreachable{t, errors.Join(failed...)}
}

// leads says what an address is, and by which name a command came to it.
func (t target) leads(what string) string {
	if t.name != "" {
		what += " that " + t.name + " leads to"
	}
	return what
}

func (p *Proxy) dialAddr(ctx context.Context, addr netip.AddrPort) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, p.limits.dial)
	defer cancel()
	return p.config.Dial(ctx, "tcp", addr.String())
}

// lookup answers the addresses of t, in the resolver's order.
func (p *Proxy) lookup(ctx context.Context, t target) ([]netip.Addr, error) {
	if t.addr.IsValid() {
		return []netip.Addr{t.addr}, nil
	}
	// RFC 6761, 6.3: no name server is asked, which could say that it is somewhere else.
	if t.name == "localhost" || strings.HasSuffix(t.name, ".localhost") {
		return []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1}), netip.IPv6Loopback()}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, p.limits.resolve)
	defer cancel()
	found, err := p.config.Resolver.LookupNetIP(ctx, "ip", t.name)
	if err != nil {
		return nil, err
	}
	var addrs []netip.Addr
	for _, a := range found {
		// Some resolvers wrap IPv4 addresses, and a zone is a scope of this machine.
		if a = a.Unmap(); a.Zone() == "" && !slices.Contains(addrs, a) && len(addrs) < maxAddresses {
			addrs = append(addrs, a)
		}
	}
	if len(addrs) == 0 {
		return nil, errors.New("its name has no address")
	}
	return addrs, nil
}
