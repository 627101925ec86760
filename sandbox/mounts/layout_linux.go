package mounts

import (
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/files"
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
		etc := files.Shared("/etc")
		l.closed, l.Etc = etc.Closed, etc.Open
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
