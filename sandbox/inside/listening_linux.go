package inside

import (
	"encoding/binary"
	"net/netip"

	"golang.org/x/sys/unix"
)

// mostEars of one family are read: of a command that listens on more, some are reported.
const mostEars = 1024

// listening asks the kernel for the listening TCP sockets of our network. sock_diag(7)
func listening(family uint8) map[uint32]*ear {
	all := map[uint32]*ear{}
	sock, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_SOCK_DIAG)
	if err != nil {
		return all
	}
	defer func() { _ = unix.Close(sock) }()
	if _, err := unix.Write(sock, listenRequest(family)); err != nil {
		return all
	}
	buf := make([]byte, 32<<10)
	for {
		n, err := unix.Read(sock, buf)
		if err != nil || !addEars(all, buf[:n], family) {
			return all
		}
	}
}

// listenRequest is struct nlmsghdr and struct inet_diag_req_v2: all that listen.
func listenRequest(family uint8) []byte {
	const size = unix.NLMSG_HDRLEN + 56
	e := binary.NativeEndian
	b := e.AppendUint32(nil, size)
	b = e.AppendUint16(b, unix.SOCK_DIAG_BY_FAMILY)
	b = e.AppendUint16(b, unix.NLM_F_REQUEST|unix.NLM_F_DUMP)
	b = append(b, make([]byte, 8)...) // sequence, port
	b = append(b, family, unix.IPPROTO_TCP, 0, 0)
	b = e.AppendUint32(b, 1<<unix.BPF_TCP_LISTEN)
	return append(b, make([]byte, size-len(b))...)
}

// addEars reads answers, struct inet_diag_msg each; false says that no more
// are to be read.
func addEars(all map[uint32]*ear, b []byte, family uint8) bool {
	const msgLen, port, source, inode = 72, 4, 8, 68
	e := binary.NativeEndian
	for len(b) >= unix.NLMSG_HDRLEN {
		size := int(e.Uint32(b))
		known := e.Uint16(b[4:]) == unix.SOCK_DIAG_BY_FAMILY
		if !known || size < unix.NLMSG_HDRLEN || size > len(b) || len(all) == mostEars {
			return false // the end, or an error
		}
		if m := b[unix.NLMSG_HDRLEN:size]; len(m) >= msgLen {
			at := netip.AddrFrom16([16]byte(m[source : source+16]))
			if family == unix.AF_INET {
				at = netip.AddrFrom4([4]byte(m[source : source+4]))
			}
			all[e.Uint32(m[inode:])] = &ear{at: netip.AddrPortFrom(at, binary.BigEndian.Uint16(m[port:]))}
		}
		b = b[min((size+3)&^3, len(b)):]
	}
	return true
}
