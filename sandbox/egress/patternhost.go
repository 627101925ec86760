package egress

import (
	"net/netip"
	"strings"

	"golang.org/x/net/idna"
)

func isAddr(s string) bool {
	if _, err := netip.ParseAddr(s); err == nil {
		return true
	}
	_, err := netip.ParsePrefix(s)
	return err == nil
}

// parseRange reads an address or a range; the zero prefix says that host is
// neither.
func parseRange(text, host string) (netip.Prefix, error) {
	bad := func(reason, instead string) (netip.Prefix, error) {
		return netip.Prefix{}, &PatternError{text, reason, instead}
	}
	if a, err := netip.ParseAddr(host); err == nil {
		switch {
		case a.Zone() != "":
			return bad("has a zone, which only this machine can read", a.WithZone("").String())
		case a.Is4In6():
			return bad("is an IPv4 address in IPv6 clothes", a.Unmap().String())
		}
		return netip.PrefixFrom(a, a.BitLen()), nil
	}
	if r, err := netip.ParsePrefix(host); err == nil {
		switch {
		case r.Addr().Is4In6():
			return bad("is a range of IPv4 addresses in IPv6 clothes", "it as IPv4, like 10.0.0.0/8")
		case r != r.Masked():
			return bad("is a range that doesn't begin where its size says", r.Masked().String())
		}
		return r, nil
	}
	if strings.Contains(host, "/") {
		return bad("has a path, and a pattern is a host or a range of addresses", suggested(host[:strings.Index(host, "/")]))
	}
	return netip.Prefix{}, nil
}

// patternName is the canonical name of a pattern's host.
func patternName(text, name string) (string, error) {
	switch {
	case name == "*" || name == "":
		return "", &PatternError{text, "is no host", "a host, or *.example.com for all below it"}
	case strings.Contains(name, "*"):
		return "", &PatternError{text, "has a star that isn't a whole first label", "*.example.com"}
	}
	host, addr, why := parseHost(name)
	switch {
	case why != "":
		return "", &PatternError{text, why, suggested(name)}
	case addr.IsValid():
		return "", &PatternError{text, "has a star before an address", "a range like 10.0.0.0/8"}
	}
	return host, nil
}

// suggested is the canonical form of a name that was written in another one, ""
// if there is none.
func suggested(name string) string {
	if _, after, ok := strings.Cut(name, "@"); ok {
		name = after
	}
	name = strings.TrimSuffix(strings.TrimSpace(name), ".")
	if ascii, err := idna.Lookup.ToASCII(name); err == nil {
		name = ascii
	}
	host, _, why := parseHost(name)
	if why != "" {
		return ""
	}
	return host
}
