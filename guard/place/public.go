package place

import (
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/effect"
)

// AsksPassword reports the prompt of a password that is not this command's.
func AsksPassword(prompt string) bool {
	prompt = strings.ToLower(prompt)
	return strings.Contains(prompt, "password") && (effect.Holds(prompt, "sudo login") ||
		strings.Contains(prompt, "for ") || strings.Contains(prompt, "your "))
}

// Loaders reports variables that make programs load or run code when they start.
// ENV is not one: plain sh reads it only when interactive, and people mean "production".
func Loaders(name string) bool {
	return effect.Among(name, "LD_PRELOAD LD_AUDIT DYLD_INSERT_LIBRARIES BASH_ENV PROMPT_COMMAND")
}

// Socket reports the door of a container daemon: who may use it is root.
func Socket(p string) bool {
	return effect.Ends(p, "/docker.sock /podman.sock /containerd.sock /crio.sock")
}

// BlockDevice reports the names of disks on Linux and macOS.
func BlockDevice(p string) bool {
	name, ok := strings.CutPrefix(p, "/dev/")
	return ok && name != "" && effect.Begins(name[:len(name)-1],
		"sd hd vd xvd nvme mmcblk loop dm- md mapper/ disk rdisk sr nbd zd ram")
}

// Device reports the special files that are nobody's data. They are told by
// name: /dev/stdin resolves to whatever is connected.
func Device(p string) bool {
	name, ok := strings.CutPrefix(p, "/dev/")
	if !ok {
		name, ok = strings.CutPrefix(p, "/proc/self/fd/")
		return ok && name != "" && strings.Trim(name, "0123456789") == ""
	}
	switch name {
	case "null", "zero", "full", "random", "urandom", "stdin", "stdout", "stderr", "tty", "fd":
		return true
	}
	fd, ok := strings.CutPrefix(name, "fd/")
	return ok && fd != "" && strings.Trim(fd, "0123456789") == ""
}

// BashSocket reports the names that bash makes connections of.
func BashSocket(path string) bool {
	return strings.HasPrefix(path, "/dev/tcp/") || strings.HasPrefix(path, "/dev/udp/")
}

// EndlessDevice reports a device from which reading never ends.
func EndlessDevice(p string) bool {
	return p == "/dev/zero" || p == "/dev/urandom" || p == "/dev/random" || p == "/dev/full"
}

// Shower is what Facts may be besides: the plan of the sandbox that a command
// will run in. A command is never refused what that shows,
// nor what a person has granted.
type Shower interface {
	// Shows names the row of the plan by which a command may read the resolved
	// path, "" if there is none.
	Shows(path string) (row string)
	// Grants says that a person lets this command write to the resolved path, outside
	// of the workspace.
	Grants(path string) bool
}

// Shown reports a path outside the workspace that the sandbox lets commands read,
// credentials and accounts excepted.
func (w *World) Shown(e *effect.Effect) bool {
	plan, ok := w.Facts.(Shower)
	path := known(e.Path)
	if !ok || path == "" || path == "/etc" && !e.Discreet { // a copy of all of it
		return false
	}
	row := plan.Shows(path)
	if row == "system" && e.Recursive {
		return false // whether it is only read, nobody knows
	}
	return row != "" && !slices.Contains(listed("accounts"), path) && !SecretPath(path)
}

// Granted reports a write outside the workspace that a person has granted. What other
// rules say of the path stands: a yes to a directory is none to the credentials in it.
func (w *World) Granted(e *effect.Effect) bool {
	plan, ok := w.Facts.(Shower)
	if !ok || e.Path == "" || w.Restrict || SecretPath(e.Path) {
		return false
	}
	return plan.Grants(known(e.Path))
}

// known is a path as far as it has no pattern in it.
func known(path string) string {
	if i := strings.IndexAny(path, "*?["); i >= 0 {
		return path[:max(1, strings.LastIndexByte(path[:i], '/'))]
	}
	return path
}
