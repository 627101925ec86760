package parent

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// Open holds the process by a pidfd, so that a later process with the same
// number is not taken for it. A pidfd becomes readable when its process ends.
func Open(pid int) (wait func() bool, stop func(), err error) {
	fd, err := unix.PidfdOpen(pid, unix.PIDFD_NONBLOCK)
	if err != nil {
		return nil, nil, err
	}
	f := os.NewFile(uintptr(fd), "pidfd")
	raw, err := f.SyscallConn()
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	wait = func() bool { return raw.Read(pidfdEnded) == nil }
	return wait, func() { _ = f.Close() }, nil
}

func pidfdEnded(fd uintptr) bool {
	p := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
	n, err := unix.Poll(p, 0)
	for errors.Is(err, unix.EINTR) {
		n, err = unix.Poll(p, 0)
	}
	return n > 0
}
