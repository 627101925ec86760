package sandbox

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// A holder is PID 1 of one sandbox's namespaces. It builds their file tree once
// and starts runners in them; when it ends, the kernel ends everything in the
// sandbox.
func holderMain() int {
	s := &spawner{control: fdControl}
	var err error
	s.conf, err = readConf(fdLink(fdConf))
	_ = unix.Close(fdConf)
	if err != nil {
		return 1
	}
	if stage, err := s.setUp(); err != nil {
		s.broken = &SetupError{Stage: stage, Err: err}
	}
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		s.broken = &SetupError{Stage: "dumpable", Err: err}
	}
	if s.serve() {
		s.finish() // our end is the runners', who have to vet first what commands leave
	}
	return 0
}

// setUp fills the new namespaces.
func (s *spawner) setUp() (stage string, err error) {
	c := s.conf
	if err := closeStrangers(fdControl); err != nil {
		return "descriptors", err
	}
	// No namespace below ours, whatever the filter might miss. user_namespaces(7)
	if err := writeAt(unix.AT_FDCWD, "/proc/sys/user/max_user_namespaces", "0"); err != nil {
		return "namespaces", err
	}
	if err := markWatches(); err != nil {
		return "watches", err
	}
	if err := markPids(); err != nil {
		return "process limit", err
	}
	if c.policy.Network != NetworkAllow {
		if err := loopbackUp(); err != nil {
			return "loopback", err
		}
	}
	if c.proxied() { // before a command can take the port; kept, so that none ever can
		fd, err := listenInside()
		if err != nil {
			return "egress", err
		}
		s.egress = []int{fd}
	}
	l, err := newLayout(c)
	if err != nil {
		return "mounts", err
	}
	plan, err := l.plan(c.policy)
	if err != nil {
		return "mounts", err
	}
	s.masks, err = buildRoot(plan)
	return "mounts", err
}

// loopbackUp gives the new network namespace its 127.0.0.1. netdevice(7)
func loopbackUp() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	ifr, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	ifr.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), unix.SIOCSIFFLAGS, uintptr(unsafe.Pointer(ifr)))
	if errno != 0 {
		return errno
	}
	return nil
}
