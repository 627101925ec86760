package place

import (
	"net/netip"
	"strconv"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/effect"
)

// HostOf is the host of an address, with or without a scheme.
func HostOf(url string) string {
	if _, rest, ok := strings.Cut(url, "://"); ok {
		url = rest
	}
	if i := strings.IndexAny(url, "/?#"); i >= 0 {
		url = url[:i]
	}
	url = url[strings.LastIndexByte(url, '@')+1:]
	if strings.HasPrefix(url, "[") {
		url, _, _ = strings.Cut(url[1:], "]")
		return url
	}
	host, _, _ := strings.Cut(url, ":")
	return strings.ToLower(host)
}

// WebClients talk to the services of a compose file, whose names have no dot; to
// ssh such a name is an alias for any machine.
var WebClients = []string{"curl", "wget", "http", "https", "xh"}

// Service reports a name without a dot, as the services of a compose file have.
func Service(host string) bool {
	return host != "" && !strings.ContainsAny(host, ".:"+effect.Unknown) && strings.Trim(host, "0123456789abcdefx") != ""
}

// LocalHost reports names of this machine.
func LocalHost(host string) bool {
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.IsLoopback() || ip.IsUnspecified()
	}
	switch {
	case strings.Contains(host, effect.Unknown), host == "":
		return false
	case host == "localhost", host == "host.docker.internal":
		return true
	}
	return effect.Ends(host, ".localhost .local .test .internal .lan")
}

// Metadata reports the addresses under which clouds hand out credentials, in
// every spelling that leads there.
func Metadata(host string) bool {
	for _, answersWithItself := range [...]string{".nip.io", ".sslip.io", ".xip.io"} {
		host = strings.TrimSuffix(host, answersWithItself)
	}
	host = strings.TrimSuffix(host, effect.Unknown) // http://169.254.170.2$PATH_OF_KEYS
	if ip, err := netip.ParseAddr(host); err == nil {
		host = ip.Unmap().String()
	} else if ip, ok := classic(host); ok {
		host = ip.String()
	}
	return effect.Among(host, `169.254.169.254 169.254.170.2 fd00:ec2::254 100.100.100.200 metadata.google.internal
		metadata metadata.azure.com`)
}

// classic is an address as inet_aton reads it: one to four numbers, octal or
// hexadecimal, too, of which the last fills what is left.
func classic(host string) (netip.Addr, bool) {
	parts := strings.SplitN(host, ".", 5)
	if len(parts) > 4 {
		return netip.Addr{}, false
	}
	var sum uint64
	for i, part := range parts {
		bits := 8
		if i == len(parts)-1 {
			bits = 8 * (4 - i)
		}
		n, err := strconv.ParseUint(part, 0, bits)
		if err != nil {
			return netip.Addr{}, false
		}
		sum = sum<<bits | n
	}
	return netip.AddrFrom4([4]byte{byte(sum >> 24), byte(sum >> 16), byte(sum >> 8), byte(sum)}), true
}
