package egress

import (
	"encoding/binary"
	"net/netip"
	"slices"
	"sync"
)

// block is a range of addresses that isn't the public internet.
type block struct {
	prefix netip.Prefix
	what   string
	never  bool // not even if it is listed
	embeds int  // at which byte an IPv4 address is in it, 0 if nowhere
}

const metadata = "the cloud's metadata service"

// asked says that a person can be asked about an address that lies in it: a neighbour's, or a
// server's of this machine, by its number. Not where credentials are, nor what only this
// machine reaches.
func (b block) asked(addr netip.Addr) bool {
	return !b.never && b.embeds == 0 && b.what != metadata && !addr.IsLoopback() && !addr.IsLinkLocalUnicast()
}

// blocks are those of IANA's special-purpose registries, and what else leads
// elsewhere than it says. The first that holds an address names it.
var blocks = sync.OnceValue(func() []block {
	of := func(prefix, what string) block { return block{prefix: netip.MustParsePrefix(prefix), what: what} }
	never := func(b block) block { b.never = true; return b }
	embeds := func(b block, at int) block { b.embeds = at; return b }
	return []block{
		// Where a cloud keeps the machine's own credentials.
		of("169.254.169.254/32", metadata),
		of("169.254.170.2/32", metadata),
		of("169.254.170.23/32", metadata),
		of("100.100.100.200/32", metadata),
		of("168.63.129.16/32", metadata),
		of("192.0.0.192/32", metadata),
		of("fd00:ec2::254/128", metadata),
		of("fd00:ec2::23/128", metadata),
		of("fd20:ce::254/128", metadata),

		never(of("0.0.0.0/8", "an unspecified address")),
		of("10.0.0.0/8", "a private address"),
		of("100.64.0.0/10", "an address of the provider's own network"),
		of("127.0.0.0/8", "a loopback address"),
		of("169.254.0.0/16", "a link-local address"),
		of("172.16.0.0/12", "a private address"),
		of("192.0.0.0/24", "an address with a special purpose"),
		of("192.0.2.0/24", "an address for documentation"),
		of("192.88.99.0/24", "a 6to4 relay"),
		of("192.168.0.0/16", "a private address"),
		of("198.18.0.0/15", "an address for benchmarks"),
		of("198.51.100.0/24", "an address for documentation"),
		of("203.0.113.0/24", "an address for documentation"),
		never(of("224.0.0.0/4", "a multicast address")),
		never(of("240.0.0.0/4", "a reserved or broadcast address")),

		never(of("::/128", "an unspecified address")),
		of("::1/128", "a loopback address"),
		never(of("::ffff:0:0/96", "an IPv4 address in IPv6 clothes")),
		never(of("::/96", "an IPv4 address in IPv6 clothes")),
		never(of("::ffff:0:0:0/96", "an IPv4 address in IPv6 clothes")),
		embeds(of("64:ff9b::/96", "an IPv4 address behind NAT64"), 12),
		of("64:ff9b:1::/48", "an IPv4 address behind NAT64"),
		embeds(of("2002::/16", "an IPv4 address behind 6to4"), 2),
		never(of("2001::/32", "an IPv4 address behind Teredo")),
		of("2001::/23", "an address with a special purpose"),
		of("2001:db8::/32", "an address for documentation"),
		of("3fff::/20", "an address for documentation"),
		of("fc00::/7", "a private address"),
		of("fe80::/10", "a link-local address"),
		of("fec0::/10", "a private address"),
		never(of("ff00::/8", "a multicast address")),
	}
})

// publicIPv6 is what has been given out of IPv6; what is outside has no owner.
var publicIPv6 = netip.PrefixFrom(netip.AddrFrom16([16]byte{0x20}), 3)

// special answers the block that addr lies in, if it is not public.
func special(addr netip.Addr) (block, bool) {
	all := blocks()
	if i := slices.IndexFunc(all, func(b block) bool { return b.prefix.Contains(addr) }); i >= 0 {
		return all[i], true
	}
	if addr.Is6() && !publicIPv6.Contains(addr) {
		return block{prefix: netip.PrefixFrom(addr, 128), what: "an address nobody owns", never: true}, true
	}
	return block{}, false
}

// embedded is the IPv4 address that a translator on the way would dial.
func (b block) embedded(addr netip.Addr) netip.Addr {
	bytes := addr.As16()
	var v4 [4]byte
	binary.BigEndian.PutUint32(v4[:], binary.BigEndian.Uint32(bytes[b.embeds:]))
	return netip.AddrFrom4(v4)
}
