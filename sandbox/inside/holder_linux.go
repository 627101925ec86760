package inside

import (
	"errors"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/limits"
	"github.com/pillion-sidecar/pillion/sandbox/mounts"
	"github.com/pillion-sidecar/pillion/sandbox/policy"
	"github.com/pillion-sidecar/pillion/sandbox/wire"
)

// A holder is PID 1 of one sandbox's namespaces. It builds their file tree once
// and starts runners in them; when it ends, the kernel ends everything in the
// sandbox.
func holderMain() int {
	setup, err := wire.ReadSetup()
	if err != nil {
		return 1
	}
	s := &spawner{control: fdControl, conf: setup.Conf}
	if stage, err := s.setUp(); err != nil {
		s.broken = failed(stage, err)
	}
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		s.broken = failed("dumpable", err)
	}
	if s.serve() {
		s.finish() // our end is the runners', who have to vet first what commands leave
	}
	return 0
}

// setUp fills the new namespaces.
func (s *spawner) setUp() (stage string, err error) {
	c := s.conf
	if err := closeStrangers(fdSetup + c.Given()); err != nil {
		return "descriptors", err
	}
	// No namespace below ours, whatever the filter might miss. user_namespaces(7)
	if err := limits.WriteAt(unix.AT_FDCWD, "/proc/sys/user/max_user_namespaces", "0"); err != nil {
		return "namespaces", err
	}
	if err := limits.MarkWatches(); err != nil {
		return "watches", err
	}
	if err := limits.MarkPids(); err != nil {
		return "process limit", err
	}
	if c.OwnNetwork() {
		if err := loopbackUp(); err != nil {
			return "loopback", err
		}
	}
	if c.OwnNetwork() && !c.Proxied() {
		if fd, err := bindInside(unix.SOCK_DGRAM, unix.SockaddrInet4{Port: wire.NamesPort, Addr: [4]byte{127, 0, 0, 1}}); err == nil {
			s.egress = append(s.egress, fd) // without it, names are refused and not reported
		}
	}
	if c.Proxied() { // before a command can take the ports; kept, so that none ever can
		if err := s.listen(); err != nil {
			return "egress", err
		}
	}
	l, err := mounts.NewLayout(c)
	if err != nil {
		return "mounts", err
	}
	s.etc, s.looked = l.Etc, time.Now()
	plan, err := l.Plan(c.Policy)
	if err != nil {
		return "mounts", err
	}
	s.masks, err = mounts.BuildRoot(plan)
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

// egressBacklog are connections that wait until the sidecar accepts them.
const egressBacklog = 128

// listen makes the sockets that lead to the proxy and to the host's ports.
func (s *spawner) listen() error {
	at := []unix.SockaddrInet4{{Port: wire.EgressPort, Addr: [4]byte{127, 0, 0, 1}}}
	for _, port := range s.conf.Policy.HostPorts {
		at = append(at, unix.SockaddrInet4{Port: port, Addr: policy.HostAddress})
	}
	for _, a := range at {
		fd, err := bindInside(unix.SOCK_STREAM, a)
		if err == nil {
			err = unix.Listen(fd, egressBacklog)
		}
		if err != nil {
			return err // and with it the process
		}
		s.egress = append(s.egress, fd)
	}
	return nil
}

// bindInside makes a socket of a sandbox in the calling process's network namespace. It
// sets neither SO_REUSEADDR nor SO_REUSEPORT, which would let another socket share the port.
func bindInside(kind int, at unix.SockaddrInet4) (int, error) {
	fd, err := unix.Socket(unix.AF_INET, kind|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return -1, err
	}
	if err = unix.Bind(fd, &at); err != nil {
		return -1, errors.Join(err, unix.Close(fd))
	}
	return fd, nil
}

// handSocket gives a socket of our network away, which leads into it wherever it is
// connected. The sidecar does that: nothing here waits for a command.
func (s *spawner) handSocket(f wire.Frame) {
	var family int
	var fds []int
	if s.conf.OwnNetwork() && f.Decode(&family) == nil {
		fd, err := unix.Socket(family, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
		if err == nil {
			defer unix.Close(fd)
			fds = []int{fd}
		}
	}
	_ = wire.Send(s.control, wire.MsgSocket, nil, fds...)
}

// handViews gives copies of our views away, for other sandboxes with the same caches.
func (s *spawner) handViews() {
	var at []string
	var fds []int
	if s.masks != nil {
		for path, fd := range s.masks.Views {
			clone, err := unix.OpenTree(fd, "", unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_EMPTY_PATH)
			if err == nil {
				defer unix.Close(clone)
				at, fds = append(at, path), append(fds, clone)
			}
		}
	}
	_ = wire.Send(s.control, wire.MsgViews, at, fds...)
}
