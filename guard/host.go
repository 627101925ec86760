package guard

import (
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// hostOf is the host of an address, with or without a scheme.
func hostOf(url string) string {
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

// webClients talk to the services of a compose file, whose names have no dot; to
// ssh such a name is an alias for any machine.
var webClients = []string{"curl", "wget", "http", "https", "xh"}

func service(host string) bool {
	return host != "" && !strings.ContainsAny(host, ".:"+unknown) && strings.Trim(host, "0123456789abcdefx") != ""
}

// localHost reports names of this machine.
func localHost(host string) bool {
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.IsLoopback() || ip.IsUnspecified()
	}
	switch {
	case strings.Contains(host, unknown), host == "":
		return false
	case host == "localhost", host == "host.docker.internal":
		return true
	}
	for _, suffix := range [...]string{".localhost", ".local", ".test", ".internal", ".lan"} {
		if strings.HasSuffix(host, suffix) {
			return true
		}
	}
	return false
}

// metadata reports the addresses under which clouds hand out credentials, also
// written as one number.
func metadata(host string) bool {
	if n, err := strconv.ParseUint(host, 0, 32); err == nil {
		host = netip.AddrFrom4([4]byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}).String()
	}
	return slices.Contains([]string{"169.254.169.254", "169.254.170.2", "fd00:ec2::254", "100.100.100.200", "metadata.google.internal", "metadata", "metadata.azure.com", "::ffff:169.254.169.254"}, host)
}
