package broker

import (
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/files"
)

// watch adds a watch of inotify's where there are no mounts of our own: the kernel asks
// the file's mode only, and with it everything that the user does in a directory which
// the sandbox can't read would be seen. Landlock asks when the file is opened.
func (a *request) watch(fd int32, addr uint64, mask uint32) (reply, error) {
	path, err := a.path(addr)
	if err != nil {
		return done, err
	}
	p, err := a.parent(atFDCWD, path)
	if err != nil {
		return done, err
	}
	pin, err := a.pin(p, mask&unix.IN_DONT_FOLLOW == 0)
	if err != nil {
		return done, err
	}
	defer func() { _ = unix.Close(pin) }()
	if err := mayRead(pin); err != nil {
		return done, err
	}
	own, err := a.taken(fd)
	if err != nil {
		return done, err
	}
	defer func() { _ = unix.Close(own) }()
	n, err := unix.InotifyAddWatch(own, files.Path(pin), mask&^unix.IN_DONT_FOLLOW)
	return reply{fd: -1, val: int64(n)}, err
}

// mayRead opens a file or directory as the command could; nothing else, for to open a
// device does something.
func mayRead(pin int) error {
	var st unix.Stat_t
	if err := unix.Fstat(pin, &st); err != nil {
		return err
	}
	if kind := st.Mode & unix.S_IFMT; kind != unix.S_IFREG && kind != unix.S_IFDIR {
		return unix.EACCES
	}
	fd, err := unix.Openat(files.OwnFDs(), strconv.Itoa(pin), unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err == nil {
		_ = unix.Close(fd)
	}
	return err
}
