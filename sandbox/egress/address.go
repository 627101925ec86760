package egress

import (
	"net"
	"net/netip"
	"slices"
)

// vet answers why addr must not be dialled for t, nil if it may be. An allowed
// name doesn't vouch for the address that its name server gives: rebinding it to
// 127.0.0.1, the router or the cloud's metadata service is the oldest way around
// a list of names. So what isn't public must be listed by its number.
func (p *Proxy) vet(t target, addr netip.Addr) *Refusal {
	at := target{addr: addr, port: t.port}
	refuse := func(rule, reason, grant string) *Refusal {
		r := t.refusal(rule, reason)
		r.Addr, r.Grant = addr.String(), grant
		return r
	}
	if text, ok := p.book.denies(at); ok {
		return refuse(Denied, "its address "+addr.String()+" is denied by "+text, "")
	}
	exactly := netip.PrefixFrom(addr, addr.BitLen())
	b, ok := special(addr)
	own := !addr.IsLoopback() && p.own(addr)
	switch {
	case own && !ok:
		b = block{prefix: exactly, what: "an address of this machine"}
	case own:
		// 10.0.0.0/8 was written for the neighbours, not for this machine's servers.
		b.prefix = exactly
	case !ok:
		return nil
	}
	why := "it leads to " + addr.String() + ", " + b.what
	if b.never {
		return refuse(Address, why, "")
	}
	if !p.book.opens(addr, t.port, b.prefix) {
		r := refuse(Address, why, at.String())
		if b.asked(addr) {
			r.asked = b.what
		}
		return r
	}
	if b.embeds > 0 {
		// NAT64 in the list allows the way, not the address inside.
		if r := p.vet(t, b.embedded(addr)); r != nil {
			r.Addr = addr.String()
			return r
		}
	}
	return nil
}

// own says whether addr is one of this machine's. If that can't be found out,
// it is.
func (p *Proxy) own(addr netip.Addr) bool {
	all, err := p.interfaces()
	return err != nil || slices.ContainsFunc(all, func(a net.Addr) bool {
		n, ok := a.(*net.IPNet)
		if !ok {
			return false
		}
		mine, ok := netip.AddrFromSlice(n.IP)
		return ok && mine.Unmap() == addr
	})
}
