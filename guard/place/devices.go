package place

import (
	"strings"
)

// Socket reports the door of a container daemon: who may use it is root.
func Socket(p string) bool {
	return strings.HasSuffix(p, "/docker.sock") || strings.HasSuffix(p, "/podman.sock") ||
		strings.HasSuffix(p, "/containerd.sock") || strings.HasSuffix(p, "/crio.sock")
}

// BlockDevice reports the names of disks on Linux and macOS.
func BlockDevice(p string) bool {
	name, ok := strings.CutPrefix(p, "/dev/")
	if !ok {
		return false
	}
	for _, prefix := range [...]string{
		"sd", "hd", "vd", "xvd", "nvme", "mmcblk", "loop", "dm-", "md", "mapper/", "disk",
		"rdisk", "sr", "nbd", "zd", "ram",
	} {
		if strings.HasPrefix(name, prefix) && len(name) > len(prefix) {
			return true
		}
	}
	return false
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
