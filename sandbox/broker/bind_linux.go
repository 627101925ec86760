package broker

import (
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/protect"
)

// bind makes a socket's name as the kernel does, where a command may make one. A socket
// for datagrams gets none in a workspace: its sender can't be asked about, for sendmsg(2)
// has the address in memory, and with it could pass what it has open to a command under
// another policy.
func (a *request) bind(fd int32, addr uint64, size uint32) error {
	to, err := a.address(addr, size)
	if err != nil {
		return err
	}
	sock, err := a.taken(fd)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(sock) }()
	family, err := unix.GetsockoptInt(sock, unix.SOL_SOCKET, unix.SO_DOMAIN)
	path := addressPath(to)
	if path == "" || err != nil || family != unix.AF_UNIX {
		return bindRaw(sock, to)
	}
	kind, err := unix.GetsockoptInt(sock, unix.SOL_SOCKET, unix.SO_TYPE)
	if err != nil {
		return err
	}
	p, err := a.parent(atFDCWD, path)
	if err != nil {
		return err
	}
	defer p.close()
	if p.isDir() {
		return unix.EADDRINUSE
	}
	if kind == unix.SOCK_DGRAM && a.b.guarded(p.full()) {
		return a.deny(&refusal{p.full(), "socket", "none: a socket for datagrams can be in TMPDIR", unix.EACCES})
	}
	if err := a.judgeNew(p, protect.Socket); err == unix.EEXIST {
		return unix.EADDRINUSE
	} else if err != nil {
		return err
	}
	return a.bindIn(sock, to, path, p)
}

// bindIn binds from the caller's own directory: the address is what getsockname(2)
// returns. The thread has a working directory of its own.
func (a *request) bindIn(sock int, to []byte, path string, p place) error {
	if path[0] != '/' {
		cwd, err := a.base(atFDCWD)
		if err == nil {
			err = unix.Fchdir(cwd)
			_ = unix.Close(cwd)
		}
		if err != nil {
			return err
		}
		defer func() { _ = unix.Chdir("/") }()
	}
	a.b.mask(a)
	err := a.b.making(p, func() error { return bindRaw(sock, to) })
	if err == nil {
		a.b.dirty.Store(true)
		a.b.bound.add(p)
	}
	return err
}

func bindRaw(sock int, to []byte) error { return socketRaw(unix.SYS_BIND, sock, to) }

func connectRaw(sock int, to []byte) error { return socketRaw(unix.SYS_CONNECT, sock, to) }

func socketRaw(call uintptr, sock int, to []byte) error {
	var buf [maxAddress]byte
	n := copy(buf[:], to)
	if _, _, errno := unix.Syscall(call, uintptr(sock), uintptr(unsafe.Pointer(&buf)), uintptr(n)); errno != 0 {
		return errno
	}
	return nil
}
