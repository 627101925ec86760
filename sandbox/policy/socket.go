package policy

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// engines are sockets whose servers start any program as root, outside of every sandbox:
// no message should name them as a way.
var engines = []string{"docker.sock", "containerd.sock", "podman.sock", "crio.sock", "buildkitd.sock", "lxd.socket", "unix.socket"}

// session are parts of the paths of sockets whose servers do for a program what the user can:
// start others, sign, read the screen and the keys. A line of the policy gives one, no click.
var session = []string{
	"/run/user/", "/run/systemd/", "/run/dbus/", "/run/screen/", "/run/snapd", "/.X11-unix/", "/tmp/tmux-", "/tmp/ssh-", "/tmp/vscode-",
	"/com.apple.launchd.", "/.gnupg/", "agent",
}

// SocketGrant is the line of a policy that gives a socket of the host, or why none does.
func SocketGrant(path string) string {
	if slices.Contains(engines, filepath.Base(path)) {
		return "none: a program that reaches a container engine is root on this machine"
	}
	return "policy.network.sockets " + strconv.Quote(path)
}

// ActsForTheUser says that who reaches a socket can do more than ask for data.
func ActsForTheUser(path string) bool {
	return slices.ContainsFunc(session, func(part string) bool { return strings.Contains(path, part) })
}
