package policy

import (
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// Shows says by which row of the policy a command may read a clean, absolute path
// of the host, "" if by none. home is the user's, whose places of credentials are
// hidden. It looks at no disk: what is not there, or what the file's own
// permissions keep, is not read either, and a link is to be followed before.
//
// Those who judge commands before they run ask this, so that no command is refused what
// its sandbox would show. Where nothing is confined there is no answer.
func (p Policy) Shows(home, path string) (row string) {
	beneathAny := func(roots []string) bool {
		return slices.ContainsFunc(roots, func(root string) bool { return Beneath(root, path) })
	}
	switch {
	case p.Mode != Off && p.copied(home, path):
		return "home"
	case p.Mode == Off, !filepath.IsAbs(path), Beneath("/proc", path), beneathAny(OwnDirs) && runtime.GOOS != "darwin":
		if p.Mode != Off && beneathAny(slices.Concat(p.Readable, p.Writable)) && !p.Hides(home, path) {
			return "granted"
		}
		return "" // nothing is confined, or the sandbox has its own there
	case p.Hides(home, path), beneathAny(RootSecrets), closedInEtc(path):
		return ""
	case beneathAny(p.Readable), beneathAny(p.Writable), beneathAny(p.outputs()):
		return "granted"
	case beneathAny(systemOf(runtime.GOOS)), Beneath("/etc", path):
		return "system"
	case beneathAny(Devices):
		return "devices"
	case p.Reads == ReadsAll:
		return "all"
	}
	return ""
}

// copied says that the private home has a file of its own in a path's place: what a
// command finds by ~/.gitconfig is a copy without what it must not see.
func (p Policy) copied(home, path string) bool {
	return slices.ContainsFunc(p.HomeFiles, func(f HomeFile) bool {
		return f.Link == "" && home != "" && path == filepath.Join(home, filepath.FromSlash(f.Path))
	})
}

// etcSecrets are files of /etc that only their owner may read, wherever they are.
var etcSecrets = []string{
	"/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/sudoers", "/etc/sudoers.d", "/etc/ssl/private", "/etc/ssh",
	"/etc/master.passwd", "/etc/security", "/etc/krb5.keytab", "/etc/wireguard", "/etc/NetworkManager/system-connections", "/etc/openvpn",
	"/etc/letsencrypt", "/etc/ipsec.secrets", "/etc/ppp", "/etc/docker", "/etc/kubernetes", "/etc/rancher", "/etc/polkit-1",
}

func closedInEtc(path string) bool {
	return strings.HasPrefix(path, "/etc/") && slices.ContainsFunc(etcSecrets, func(s string) bool { return Beneath(s, path) })
}
