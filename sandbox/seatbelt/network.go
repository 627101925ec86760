package seatbelt

import (
	"fmt"
	"strconv"

	"github.com/pillion-sidecar/pillion/sandbox/policy"
)

// network is what a command may reach. There is no network of a sandbox's own on
// macOS: with its loopback a command would have the host's, and every service on it.
func (s Profile) network(w *sbWriter) {
	switch {
	case s.Policy.Network == policy.NetworkAllow:
		w.line(seatbeltNetwork)
	case s.Port != 0:
		// Name lookups would be a way out of their own, so the system's resolver is
		// not reached.
		w.rule("allow", "network-outbound", fmt.Sprintf("(remote tcp %q)", "localhost:"+strconv.Itoa(s.Port)))
	}
	for _, dir := range []string{w.path("subpath", "HOME", s.Home), w.path("subpath", "TMP", s.Tmp)} {
		w.rule("allow", "network-bind", "(local unix-socket "+dir+")")
		w.rule("allow", "network-outbound", "(remote unix-socket "+dir+")")
	}
	for i, path := range s.Policy.Sockets {
		w.rule("allow", "network-outbound", "(remote unix-socket "+w.path("path-literal", "SOCKET_"+strconv.Itoa(i), path)+")")
	}
}

// seatbeltNetwork is the host's network, without its UNIX sockets: a container
// engine listens on one. The resolver does, too. Certificates are judged by trustd;
// securityd, who would hand out keys, stays out of reach.
const seatbeltNetwork = `(allow system-socket)
(allow network-outbound
  (remote ip "*:*")
  (remote unix-socket (path-literal "/private/var/run/mDNSResponder")))
(allow network-bind
  (local ip "*:*"))
(allow network-inbound
  (local ip "*:*"))
(allow sysctl-read
  (sysctl-name-prefix "net."))
(allow mach-lookup
  (global-name "com.apple.SystemConfiguration.DNSConfiguration")
  (global-name "com.apple.SystemConfiguration.configd")
  (global-name "com.apple.dnssd.service")
  (global-name "com.apple.networkd")
  (global-name "com.apple.ocspd")
  (global-name "com.apple.trustd")
  (global-name "com.apple.trustd.agent"))`
