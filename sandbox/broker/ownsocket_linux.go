package broker

import (
	"encoding/binary"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/proc"
)

// ownSocket asks the kernel whether the socket of a file was made in this network
// namespace, which is the sandbox's. sock_diag(7)
func ownSocket(pin int) bool {
	ino, dev, ok := numbersOf(pin)
	if !ok {
		return false
	}
	sock, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_SOCK_DIAG)
	if err != nil {
		return false
	}
	defer func() { _ = unix.Close(sock) }()
	if _, err := unix.Write(sock, diagRequest()); err != nil {
		return false
	}
	buf := make([]byte, 32<<10)
	for {
		n, err := unix.Read(sock, buf)
		if err != nil || n < unix.NLMSG_HDRLEN {
			return false
		}
		found, last := diagFinds(buf[:n], ino, dev)
		if found || last {
			return found
		}
	}
}

// diagRequest is struct nlmsghdr and struct unix_diag_req: all sockets, with their files.
func diagRequest() []byte {
	const showFile, all = 2, ^uint32(0)
	e := binary.NativeEndian
	b := e.AppendUint32(nil, unix.NLMSG_HDRLEN+24)
	b = e.AppendUint16(b, unix.SOCK_DIAG_BY_FAMILY)
	b = e.AppendUint16(b, unix.NLM_F_REQUEST|unix.NLM_F_DUMP)
	b = append(b, make([]byte, 8)...) // sequence, port
	b = append(b, unix.AF_UNIX, 0, 0, 0)
	for _, word := range []uint32{all, 0, showFile, all, all} { // states, inode, show, cookie
		b = e.AppendUint32(b, word)
	}
	return b
}

// diagFinds looks for a file among the answers; last says that there are no more.
func diagFinds(b []byte, ino, dev uint32) (found, last bool) {
	const msgLen, typeVFS = 16, 1
	e := binary.NativeEndian
	for len(b) >= unix.NLMSG_HDRLEN {
		size := int(e.Uint32(b))
		if size < unix.NLMSG_HDRLEN || size > len(b) {
			return false, true
		}
		if kind := e.Uint16(b[4:]); kind != unix.SOCK_DIAG_BY_FAMILY {
			return false, true // the end, or an error
		}
		attrs := b[min(unix.NLMSG_HDRLEN+msgLen, size):size]
		for len(attrs) >= 4 {
			n := int(e.Uint16(attrs))
			if n < 4 || n > len(attrs) {
				break
			}
			if e.Uint16(attrs[2:]) == typeVFS && n >= 12 && e.Uint32(attrs[4:]) == ino && e.Uint32(attrs[8:]) == dev {
				return true, false
			}
			attrs = attrs[min((n+3)&^3, len(attrs)):]
		}
		b = b[min((size+3)&^3, len(b)):]
	}
	return false, false
}

func mountOf(fd int) string { return proc.Field(proc.Descriptor(fd), "mnt_id:") }

// numbersOf are the inode and device that the kernel itself has for a file; on btrfs and
// overlayfs stat(2) returns others. proc_pid_mountinfo(5)
func numbersOf(pin int) (ino, dev uint32, ok bool) {
	info := proc.Descriptor(pin)
	n, err := strconv.ParseUint(proc.Field(info, "ino:"), 10, 64)
	if err != nil { // before Linux 5.14
		var st unix.Stat_t
		if unix.Fstat(pin, &st) != nil {
			return 0, 0, false
		}
		n = st.Ino
	}
	mount := proc.Field(info, "mnt_id:")
	mounted, _ := os.ReadFile("/proc/self/mountinfo")
	for line := range strings.Lines(string(mounted)) {
		f := strings.Fields(line)
		if len(f) < 3 || f[0] != mount {
			continue
		}
		major, minor, _ := strings.Cut(f[2], ":")
		a, err1 := strconv.ParseUint(major, 10, 12)
		b, err2 := strconv.ParseUint(minor, 10, 20)
		return uint32(n), uint32(a<<20 | b), err1 == nil && err2 == nil
	}
	return 0, 0, false
}
