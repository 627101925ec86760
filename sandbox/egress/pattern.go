package egress

import (
	"net/netip"
	"strconv"
	"strings"
)

// pattern is one line of the rules, read.
type pattern struct {
	text   string
	name   string // of a host, or below which
	below  bool
	prefix netip.Prefix // of addresses; name is "" then
	ports  ports
}

// ports are those that a pattern is about.
type ports struct {
	any bool
	web bool // 80 and 443
	one uint16
}

var (
	everyPort = ports{any: true}
	webPorts  = ports{web: true}
)

func (p ports) has(port uint16) bool {
	return p.any || p.web && (port == 80 || port == 443) || p.one == port
}

func (p pattern) matchesName(host string, port uint16) bool {
	if p.name == "" || !p.ports.has(port) {
		return false
	}
	if p.below {
		return strings.HasSuffix(host, "."+p.name)
	}
	return host == p.name
}

func (p pattern) matchesAddr(addr netip.Addr, port uint16) bool {
	return p.name == "" && p.ports.has(port) && p.prefix.Contains(addr)
}

// parsePattern reads a pattern; without a port it is about those of bare.
func parsePattern(text string, bare ports) (pattern, error) {
	p := pattern{text: text, ports: bare}
	host, port, err := splitPattern(text)
	if err != nil {
		return p, err
	}
	if port != "" {
		if p.ports, err = parsePorts(text, port); err != nil {
			return p, err
		}
	}
	if p.prefix, err = parseRange(text, host); err != nil || p.prefix.IsValid() {
		return p, err
	}
	name, below := strings.CutPrefix(host, "*.")
	p.below = below
	if p.name, err = patternName(text, name); err != nil {
		return p, err
	}
	return p, nil
}

// splitPattern takes the port off, "" if there is none. An address or range as a whole has
// colons of its own.
func splitPattern(text string) (host, port string, err error) {
	bad := func(reason, instead string) (string, string, error) {
		return "", "", &PatternError{text, reason, instead}
	}
	if _, rest, ok := strings.Cut(text, "://"); ok {
		host, _, _ := strings.Cut(rest, "/")
		return bad("is a URL, and a pattern is a host", suggested(host))
	}
	if inner, ok := strings.CutPrefix(text, "["); ok {
		host, port, ok := strings.Cut(inner, "]")
		if !ok || port != "" && port[0] != ':' || port == ":" || !strings.Contains(host, ":") {
			return bad("has brackets that aren't those of an IPv6 address", "[fd00::1]:443")
		}
		return host, strings.TrimPrefix(port, ":"), nil
	}
	if isAddr(text) {
		return text, "", nil
	}
	host, port, ok := strings.Cut(text, ":")
	if strings.Contains(port, ":") {
		return bad("has several colons", "an IPv6 address with a port as [fd00::1]:443")
	}
	if ok && port == "" {
		return bad("ends with a colon", suggested(host))
	}
	return host, port, nil
}

func parsePorts(text, port string) (ports, error) {
	if port == "*" {
		return everyPort, nil
	}
	n, ok := parsePort(port)
	if !ok {
		return ports{}, &PatternError{text, "has a port that is no number from 1 to 65535", ":443 or :* for all"}
	}
	return ports{one: n}, nil
}

// parsePort takes one spelling of a number only: 0443 and +443 are read
// differently elsewhere.
func parsePort(s string) (uint16, bool) {
	n, err := strconv.ParseUint(s, 10, 16)
	return uint16(n), err == nil && n > 0 && strconv.FormatUint(n, 10) == s
}
