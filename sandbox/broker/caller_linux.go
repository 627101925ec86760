package broker

import (
	"bytes"
	"strconv"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/proc"
	"github.com/pillion-sidecar/pillion/sandbox/protect"
)

// request is one call a command waits for. Everything read of the caller through its
// number is only worth something once alive has said that the number was still
// the caller's.
type request struct {
	b     *Broker
	n     *notification
	op    string
	pid   int              // the calling thread
	group int              // its process, once asked for
	tried string           // the path that was judged last, if it was let through
	opens bool             // it opens a file, for which a copy may be handed out
	kind  protect.TextKind // the file that is copied
}

// alive fails when the caller is gone: its thread id may belong to another
// process by now.
func (a *request) alive() error {
	if !a.b.waits(a.n.id) {
		return unix.ESRCH
	}
	return nil
}

// path reads a NUL-terminated path of at most PATH_MAX bytes from the caller's
// memory, once: what is decided and what is done use this copy.
func (a *request) path(addr uint64) (string, error) {
	buf := a.b.pathBuf[:]
	for have := 0; have < len(buf); {
		// A page further on may not be mapped; one that is never needed must not
		// make the call fail.
		size := min(len(buf)-have, 4096-int((addr+uint64(have))%4096), 256)
		n, err := a.read(addr+uint64(have), buf[have:have+size])
		if err != nil {
			return "", err
		}
		if end := bytes.IndexByte(buf[have:have+n], 0); end >= 0 {
			return string(buf[:have+end]), nil
		}
		have += n
	}
	return "", unix.ENAMETOOLONG
}

func (a *request) read(addr uint64, to []byte) (int, error) {
	local := unix.Iovec{Base: &to[0]}
	local.SetLen(len(to))
	remote := unix.RemoteIovec{Base: uintptr(addr), Len: len(to)}
	n, _, errno := unix.Syscall6(unix.SYS_PROCESS_VM_READV, uintptr(a.pid), uintptr(unsafe.Pointer(&local)), 1, uintptr(unsafe.Pointer(&remote)), 1, 0)
	if errno == unix.EFAULT || errno == 0 && n == 0 {
		return 0, unix.EFAULT
	}
	if errno != 0 {
		return 0, unix.EPERM
	}
	return int(n), nil
}

// base opens what a relative path starts from: the caller's working directory or
// one of its descriptors.
func (a *request) base(dirfd int32) (int, error) {
	name := a.dir("/cwd")
	if dirfd != atFDCWD {
		name = a.dir("/fd/" + strconv.Itoa(int(dirfd)))
	}
	fd, err := unix.Open(name, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err == unix.ENOENT && dirfd != atFDCWD {
		err = unix.EBADF
	}
	return fd, err
}

func (a *request) dir(rest string) string { return "/proc/" + strconv.Itoa(a.pid) + rest }

// process is the caller's process id, which /proc/self means.
func (a *request) process() int {
	if a.group == 0 {
		a.group, _ = strconv.Atoi(a.status("Tgid:"))
	}
	return a.group
}

// status is one field of /proc/PID/status.
func (a *request) status(field string) string { return proc.Field(a.text("/status"), field) }

func (a *request) name() string { return strings.TrimSpace(a.text("/comm")) }

// text is a small file of the caller's directory in /proc, "" when it has none or
// is gone.
func (a *request) text(name string) string {
	fd, err := unix.Open(a.dir(name), unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return ""
	}
	defer func() { _ = unix.Close(fd) }()
	var buf [4096]byte
	n, err := unix.Read(fd, buf[:])
	if err != nil || a.alive() != nil {
		return ""
	}
	return string(buf[:n])
}
