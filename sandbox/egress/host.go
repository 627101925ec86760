package egress

import (
	"net/netip"
	"strconv"
	"strings"

	"golang.org/x/net/idna"
)

// parseHost reads a host in its one canonical form: a name in lower case or an
// address. why says what is wrong, and why it matters: a host that the list
// reads in one way and a resolver in another passes as the one and is dialled
// as the other ("evil.com\x00.google.com", "0x7f.1").
func parseHost(s string) (name string, addr netip.Addr, why string) {
	if a, err := netip.ParseAddr(s); err == nil && a.Zone() == "" {
		return "", a, ""
	}
	if why := unreadable(s); why != "" {
		return "", addr, why
	}
	s = strings.ToLower(s)
	labels := strings.Split(s, ".")
	for _, l := range labels {
		if why := badLabel(l); why != "" {
			return "", addr, why
		}
	}
	if numeric(labels[len(labels)-1]) {
		return "", addr, "is an address in another spelling than 192.0.2.1"
	}
	return s, addr, ""
}

// unreadable looks at what a host is made of.
func unreadable(s string) string {
	switch {
	case s == "":
		return "is empty"
	case len(s) > 253:
		return "is longer than a host name can be"
	case strings.HasSuffix(s, "."):
		return "ends with a dot"
	}
	for i := range len(s) {
		switch c := s[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '.', c == '_':
		case c >= 0x80:
			return "has letters beyond ASCII; they are written in punycode (xn--)"
		case c == '%':
			return "has a percent sign, an encoding or a zone"
		case c == '@':
			return "has a user name before it"
		case c <= ' ' || c == 0x7f:
			return "has a blank or control character"
		default:
			return "has a " + strconv.QuoteRune(rune(c))
		}
	}
	return ""
}

func badLabel(l string) string {
	switch {
	case l == "":
		return "has an empty label"
	case len(l) > 63:
		return "has a label of more than 63 characters"
	case l[0] == '-' || l[len(l)-1] == '-':
		return "has a label that begins or ends with a hyphen"
	case strings.HasPrefix(l, "xn--") && !punycode(l):
		return "has a label that looks like punycode and isn't"
	}
	return ""
}

// punycode says whether a label stands for something else, and is the one way
// to write it: a resolver that decodes and encodes it again must get the same.
func punycode(l string) bool {
	decoded, err := idna.Lookup.ToUnicode(l)
	if err != nil || decoded == l {
		return false
	}
	again, err := idna.Lookup.ToASCII(decoded)
	return err == nil && again == l
}

// numeric is a last label that makes resolvers read the whole as an address:
// 2130706433, 0x7f.1, 0177.0.0.1 and 127.1 are all 127.0.0.1 to some.
func numeric(last string) bool {
	if hex, ok := strings.CutPrefix(last, "0x"); ok {
		return strings.Trim(hex, "0123456789abcdef") == ""
	}
	return strings.Trim(last, "0123456789") == ""
}
