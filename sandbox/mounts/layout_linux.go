package mounts

import (
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/policy"
)

// NewLayout gathers what a plan must know of this host; it runs in the namespaces
// that the plan is for. Nothing below a user's
// home is touched here: a plan asks about single paths, and only about those it
// would show.
func NewLayout(c policy.Conf) (Layout, error) {
	info, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return Layout{}, err
	}
	var si unix.Sysinfo_t
	if err := unix.Sysinfo(&si); err != nil {
		return Layout{}, fmt.Errorf("sysinfo: %w", err)
	}
	l := Layout{
		dir: c.Dir, home: c.Home, userHome: c.UserHome, tmpDisk: c.TmpDisk, hidden: c.Hidden, search: c.Search,
		ram: int64(si.Totalram) * int64(si.Unit), uid: os.Geteuid(), tty: terminalGroup(),
		kernel: kernelMounts(string(info)), views: c.Views, look: lookAt,
	}
	if l.uid == 0 {
		l.closed = closedBelow("/etc")
	}
	return l, nil
}

// terminalGroup is the group that owns terminals everywhere, where this user
// namespace has it: devpts refuses a group that is not mapped.
func terminalGroup() int {
	const tty = 5
	if m, err := os.ReadFile("/proc/self/gid_map"); err == nil && mapped(string(m), tty) {
		return tty
	}
	return -1
}

// lookAt never mounts: lstat of an automount point does not trigger it.
func lookAt(path string) node {
	var st unix.Stat_t
	if err := unix.Lstat(path, &st); err != nil {
		return node{}
	}
	n := node{kind: nodeFile}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFDIR:
		n.kind = nodeDir
	case unix.S_IFSOCK:
		n.kind = nodeSocket
	case unix.S_IFCHR:
		n.kind = nodeDevice
	case unix.S_IFLNK:
		n.kind = nodeLink
		n.text, _ = os.Readlink(path)
	}
	if real, err := filepath.EvalSymlinks(path); err == nil && real != path {
		n.target = real
	}
	return n
}

// closedBelow lists what permissions keep from other users: uid 0 owns the shadow
// file, host keys and the passwords of the network, and needs no capability to
// read them.
func closedBelow(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var closed []string
	for _, e := range entries {
		if e.Type()&os.ModeSymlink != 0 { // it is judged where it ends; certificates have a thousand
			continue
		}
		path := filepath.Join(dir, e.Name())
		info, err := e.Info()
		switch {
		case err != nil:
		case info.IsDir() && info.Mode().Perm()&0o005 != 0o005, !info.IsDir() && info.Mode().Perm()&0o004 == 0:
			closed = append(closed, path)
		case info.IsDir():
			closed = append(closed, closedBelow(path)...)
		}
	}
	return closed
}
