package egress

import (
	"net"
	"net/netip"
	"testing"
)

func vetting(t *testing.T, r Rules) *Proxy {
	t.Helper()
	p, err := New(Config{Rules: r})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

func TestAddressesThatAreNotPublicAreRefused(t *testing.T) {
	p := vetting(t, Rules{Allow: []string{"x.org", "0.0.0.0/0:*", "[::/0]:*"}})
	for what, addrs := range map[string][]string{
		"loopback":          {"127.0.0.1", "127.255.255.254", "::1"},
		"unspecified":       {"0.0.0.0", "0.1.2.3", "::"},
		"private":           {"10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "fc00::1", "fd12:3456::1", "fec0::1"},
		"link-local":        {"169.254.1.1", "fe80::1", "febf::1"},
		"carrier-grade NAT": {"100.64.0.1", "100.127.255.255"},
		"metadata":          {"169.254.169.254", "169.254.170.2", "100.100.100.200", "168.63.129.16", "fd00:ec2::254", "fd20:ce::254"},
		"multicast":         {"224.0.0.1", "239.255.255.250", "ff02::1"},
		"broadcast":         {"255.255.255.255", "240.0.0.1"},
		"special purpose":   {"192.0.0.1", "192.0.2.1", "198.18.0.1", "198.51.100.1", "203.0.113.1", "2001:db8::1", "3fff::1", "2001:10::1"},
		"IPv4-mapped":       {"::ffff:127.0.0.1", "::ffff:8.8.8.8"},
		"IPv4-compatible":   {"::127.0.0.1", "::8.8.8.8"},
		"IPv4-translated":   {"::ffff:0:127.0.0.1"},
		"NAT64":             {"64:ff9b::127.0.0.1", "64:ff9b::8.8.8.8", "64:ff9b:1::8.8.8.8"},
		"6to4":              {"2002:7f00:1::", "2002:808:808::1", "192.88.99.1"},
		"Teredo":            {"2001::1", "2001:0:7f00:1::"},
		"owned by nobody":   {"4000::1", "1::1", "100::1"},
	} {
		for _, s := range addrs {
			r := p.vet(target{name: "x.org", port: 443}, netip.MustParseAddr(s))
			if r == nil || r.Rule != Address || r.Addr != netip.MustParseAddr(s).String() || r.Host != "x.org" {
				t.Errorf("%s: %s: %v", what, s, r)
			}
		}
	}
	for _, s := range []string{"8.8.8.8", "93.184.216.34", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "2a00:1450::1"} {
		if r := p.vet(target{name: "x.org", port: 443}, netip.MustParseAddr(s)); r != nil {
			t.Errorf("public: %v", r)
		}
	}
}

func TestAddressesThatAreListedAreReached(t *testing.T) {
	for _, c := range []struct {
		allow, addr string
		port        uint16
		ok          bool
	}{
		{"10.0.0.5", "10.0.0.5", 443, true},
		{"10.0.0.5", "10.0.0.5", 8080, false},
		{"10.0.0.5", "10.0.0.6", 443, false},
		{"10.0.0.0/8:*", "10.9.9.9", 5432, true},
		{"0.0.0.0/0:*", "10.0.0.5", 443, false},
		{"8.0.0.0/5", "10.0.0.5", 443, false},
		{"127.0.0.1:8080", "127.0.0.1", 8080, true},
		{"127.0.0.0/8:*", "127.0.0.9", 1, true},
		{"[fd00::/8]:443", "fd00::1", 443, true},
		{"[fd00::/8]:443", "fd00:ec2::254", 443, false},
		{"169.254.0.0/16", "169.254.169.254", 80, false},
		{"169.254.169.254", "169.254.169.254", 80, true},
		{"0.0.0.0/8:*", "0.0.0.0", 80, false},
		{"0.0.0.0:*", "0.0.0.0", 80, false},
		{"::", "::", 80, false},
		{"[64:ff9b::/96]:443", "64:ff9b::8.8.8.8", 443, true},
		{"[64:ff9b::/96]:443", "64:ff9b::127.0.0.1", 443, false},
		{"[64:ff9b::/96]:443", "64:ff9b::169.254.169.254", 443, false},
		{"[2002::/16]:443", "2002:808:808::1", 443, true},
		{"[2002::/16]:443", "2002:a00:1::1", 443, false},
		{"[ff00::/8]:443", "ff02::1", 443, false},
	} {
		p := vetting(t, Rules{Allow: []string{c.allow}})
		r := p.vet(target{name: "x.org", port: c.port}, netip.MustParseAddr(c.addr))
		if (r == nil) != c.ok {
			t.Errorf("%s allows %s:%d: %v", c.allow, c.addr, c.port, r)
		}
	}
}

// The grant of a refusal is enough, and for what can't be granted there is none.
func TestGrantOfAnAddressOpensIt(t *testing.T) {
	for _, s := range []string{"10.0.0.5", "127.0.0.1", "169.254.169.254", "fd00::1", "100.64.0.1", "64:ff9b::8.8.8.8"} {
		p := vetting(t, Rules{})
		at := target{name: "x.org", port: 8443}
		r := p.vet(at, netip.MustParseAddr(s))
		if r == nil || r.Grant == "" || p.Allow(r.Grant) != nil || p.vet(at, netip.MustParseAddr(s)) != nil {
			t.Errorf("%s: %v", s, r)
		}
	}
	if r := vetting(t, Rules{}).vet(target{port: 80}, netip.MustParseAddr("224.0.0.1")); r == nil || r.Grant != "" {
		t.Errorf("multicast: %v", r)
	}
}

func TestAddressesOfThisMachineAreRefused(t *testing.T) {
	p := vetting(t, Rules{Allow: []string{"10.0.0.0/8:*"}})
	p.interfaces = func() ([]net.Addr, error) {
		return []net.Addr{&net.IPNet{IP: net.ParseIP("10.0.0.7")}, &net.IPNet{IP: net.ParseIP("8.8.4.4")}, &net.IPNet{IP: net.ParseIP("2a00::7")}}, nil
	}
	at := target{name: "x.org", port: 443}
	for _, s := range []string{"10.0.0.7", "8.8.4.4", "2a00::7"} {
		r := p.vet(at, netip.MustParseAddr(s))
		if r == nil || r.Rule != Address {
			t.Errorf("%s: %v", s, r)
			continue
		}
		if err := p.Allow(r.Grant); err != nil || p.vet(at, netip.MustParseAddr(s)) != nil {
			t.Errorf("%s is granted: %v", s, err)
		}
	}
	if r := p.vet(at, netip.MustParseAddr("10.0.0.8")); r != nil {
		t.Errorf("the neighbour: %v", r)
	}
	p.interfaces = func() ([]net.Addr, error) { return nil, net.ErrClosed }
	if p.vet(at, netip.MustParseAddr("8.8.8.8")) == nil {
		t.Error("what can't be found out is no")
	}
}

// The machine's real ones, whatever they are.
func TestRealInterfacesAreThisMachines(t *testing.T) {
	p := vetting(t, Rules{Allow: []string{"0.0.0.0/0:*", "[::/0]:*"}})
	all, err := net.InterfaceAddrs()
	if err != nil || len(all) == 0 {
		t.Fatal(err)
	}
	for _, a := range all {
		addr, _ := netip.AddrFromSlice(a.(*net.IPNet).IP)
		if r := p.vet(target{name: "x.org", port: 443}, addr.Unmap()); r == nil {
			t.Errorf("%v can be reached", addr)
		}
	}
}
