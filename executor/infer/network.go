package infer

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pillion-sidecar/pillion/sandbox"
	"github.com/pillion-sidecar/pillion/sandbox/egress"
)

// unreachable finds a missing network, and a name without an answer.
func (s Scene) unreachable(v sandbox.Violation, w kernelWord, after string) (sandbox.Violation, bool) {
	if s.Policy.Network == sandbox.NetworkAllow {
		return v, false
	}
	v.Op, v.Rule, v.Grant = "connect", "network", `sandbox.network "allow"`
	if w.address {
		v.Op, v.Path = "resolve", word(strings.TrimLeft(after, ": "))
		if host := s.hostGrant(v); host != "" {
			v.Grant = host
		}
	}
	return v, true
}

// hostGrant is the line of an address book that would do instead of the whole
// network, "" where there is none. Under network "proxy" a program that resolves
// names does not know the proxy: the line would not help it.
func (s Scene) hostGrant(v sandbox.Violation) string {
	host := v.Path
	if v.Process == "ssh" {
		host += ":22" // a pattern without a port is for 80 and 443
	}
	if !s.Proxies || s.Policy.Network != sandbox.NetworkDeny {
		return ""
	}
	return HostGrant(host)
}

// HostGrant is the line of an address book that lets commands reach a host, "" where none does.
func HostGrant(host string) string {
	if (egress.Rules{Allow: []string{host}}).Check() != nil {
		return ""
	}
	return "policy.network.allow " + strconv.Quote(host)
}

// LoginGrant is the line by which git is logged in to a host.
func LoginGrant(host string) string { return "policy.network.credentials " + strconv.Quote(host) }

// unknownHost are resolvers' words for a name that means nothing, in small letters.
var unknownHost = []string{"resolv", "translat", "not known", "getaddrinfo", "enotfound", "eai_again", "no such host", "name resolution"}

// host is what a line says of the name of the host, which means something only where the
// policy names a port of it.
func (s Scene) host(line string) (sandbox.Violation, bool) {
	line = small(line)
	v := sandbox.Violation{
		Op: "resolve", Path: sandbox.HostName, Rule: "port", Grant: sandbox.HostPortGrant(0), Count: 1,
		Process: speaker(line), Attribution: sandbox.AttributionInferred,
	}
	unknown := slices.ContainsFunc(unknownHost, func(word string) bool { return strings.Contains(line, word) })
	return v, unknown && strings.Contains(line, sandbox.HostName) && len(s.Policy.HostPorts) == 0
}

// login is what git says of a host that wants to know who it is: "fatal: could not read Username
// for 'https://host': …", with the user's name before the host where the remote has it.
func (s Scene) login(line string) (v sandbox.Violation, ok bool) {
	_, rest, ok := strings.Cut(line, "could not read ")
	_, at, is := strings.Cut(rest, " for 'https://")
	host, _, whole := strings.Cut(at, "'")
	host = host[strings.LastIndexByte(host, '@')+1:]
	if host = strings.TrimSuffix(host, "/"); !ok || !is || !whole || egress.CheckLogin(host) != nil {
		return v, false
	}
	v = sandbox.Violation{
		Op: "login", Path: "https://" + host, Rule: egress.Credentials, Grant: LoginGrant(host),
		Count: 1, Process: "git", Attribution: sandbox.AttributionInferred,
	}
	return v, s.Proxies && s.Policy.Network != sandbox.NetworkAllow
}
