package broker

import (
	"bytes"
	"encoding/binary"
	"net/netip"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/files"
	"github.com/pillion-sidecar/pillion/sandbox/policy"
)

// A socket's address may be a path, where a program of the user's may listen, or a command
// under another policy: neither mounts nor Landlock have a word for it (before Linux 7.1).
// The filter sees no address. So the broker connects and binds, on a descriptor of its own
// of the caller's socket, to what it has judged.

// maxAddress is struct sockaddr_storage.
const maxAddress = 128

// address reads a socket's address, once.
func (a *request) address(addr uint64, size uint32) ([]byte, error) {
	if size > maxAddress {
		return nil, unix.EINVAL
	}
	return a.bytes(addr, uint64(size))
}

// addressPath is the path that an address of the family UNIX names; "" for none.
func addressPath(to []byte) string {
	if len(to) < 3 || binary.NativeEndian.Uint16(to) != unix.AF_UNIX || to[2] == 0 {
		return ""
	}
	path, _, _ := bytes.Cut(to[2:], []byte{0})
	return string(path)
}

// unixAddress is the other way round.
func unixAddress(path string) []byte {
	to := binary.NativeEndian.AppendUint16(nil, unix.AF_UNIX)
	return append(append(to, path...), 0)
}

// taken is a descriptor of ours for one of the caller's.
func (a *request) taken(fd int32) (int, error) {
	own, err := a.take(a.pid, 0, fd)
	if err == errNoLeader {
		if own, err = a.take(a.pid, unix.PIDFD_THREAD, fd); err == errNoLeader { // before Linux 6.9
			own, err = a.take(a.process(), 0, fd)
		}
	}
	if err == nil && a.alive() != nil {
		_ = unix.Close(own)
		return -1, unix.ESRCH
	}
	return own, err
}

const errNoLeader = unix.Errno(unix.EINVAL)

func (a *request) take(pid, flags int, fd int32) (int, error) {
	process, err := unix.PidfdOpen(pid, flags)
	if err == unix.ENOENT || err == unix.EINVAL {
		return -1, errNoLeader
	}
	if err != nil {
		return -1, err
	}
	defer func() { _ = unix.Close(process) }()
	return unix.PidfdGetfd(process, int(fd), 0)
}

// hostPort is the port of policy.HostName that an address names; 0 for none.
func hostPort(to []byte) int {
	if len(to) < unix.SizeofSockaddrInet4 {
		return 0
	}
	var ip netip.Addr
	switch binary.NativeEndian.Uint16(to) {
	case unix.AF_INET:
		ip = netip.AddrFrom4([4]byte(to[4:]))
	case unix.AF_INET6:
		ip, _ = netip.AddrFromSlice(to[8:min(24, len(to))])
	}
	if ip.Unmap() != netip.AddrFrom4(policy.HostAddress) {
		return 0
	}
	return int(binary.BigEndian.Uint16(to[2:]))
}

func (a *request) connect(fd int32, addr uint64, size uint32) (reply, error) {
	to, err := a.address(addr, size)
	if err != nil {
		return done, err
	}
	if port := hostPort(to); port != 0 && len(a.b.hostPorts) > 0 && !slices.Contains(a.b.hostPorts, port) {
		at := policy.HostName + ":" + strconv.Itoa(port)
		return done, a.deny(&refusal{at, "port", policy.HostPortGrant(port), unix.ECONNREFUSED})
	}
	sock, err := a.taken(fd)
	if err != nil {
		return done, err
	}
	c := connecting{id: a.n.id, sock: sock, file: -1, to: to}
	if path := addressPath(to); path != "" { // no socket of another family takes such an address
		if c.file, err = a.socketFile(path); err != nil {
			c.close()
			return done, err
		}
		c.to = unixAddress(files.Path(c.file))
	}
	return a.b.connect(c)
}

// socketFile opens the socket that a path leads to, if this sandbox may reach it.
func (a *request) socketFile(path string) (int, error) {
	p, err := a.parent(atFDCWD, path)
	if err != nil {
		return -1, err
	}
	pin, err := a.pin(p, true)
	if err != nil {
		return -1, err
	}
	var st unix.Stat_t
	real, err := files.RealPath(pin)
	if err == nil {
		err = unix.Fstat(pin, &st)
	}
	if err == nil && st.Mode&unix.S_IFMT != unix.S_IFSOCK {
		err = unix.ECONNREFUSED
	}
	if err == nil && !a.b.reaches(real, pin) {
		// A program sees a socket without a server: it removes the file, or does without.
		err = a.deny(&refusal{real, "socket", policy.SocketGrant(real), unix.ECONNREFUSED})
	}
	if err != nil {
		_ = unix.Close(pin)
		return -1, err
	}
	return pin, nil
}

// reaches says that a socket is the sandbox's own, or one of the policy's.
func (b *Broker) reaches(path string, pin int) bool {
	var st unix.Stat_t
	if unix.Fstat(pin, &st) != nil {
		return false
	}
	id := files.IDOf(&st)
	return slices.Contains(b.granted, id) || b.bound.has(id) || b.ownNetwork && ownSocket(pin) || b.private(path, pin)
}

// private says that a file is in the private home or TMPDIR itself, and not in what is
// mounted below it: sockets there are the sandbox's own.
func (b *Broker) private(path string, pin int) bool {
	r, _, ok := b.within(path)
	if !ok || r.protected {
		return false
	}
	dir, err := unix.Open(r.path, unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return false
	}
	defer func() { _ = unix.Close(dir) }()
	here := mountOf(dir)
	return here != "" && here == mountOf(pin)
}
