package sandbox

import (
	"bytes"
	"strconv"
	"strings"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// ask is one call a command waits for. Everything read of the caller through its
// number is only worth something once alive has said that the number was still
// the caller's.
type ask struct {
	b     *broker
	n     *notification
	op    string
	pid   int      // the calling thread
	group int      // its process, once asked for
	tried string   // the path that was judged last, if it was let through
	opens bool     // it opens a file, for which a copy may be handed out
	kind  textKind // what the copy is of
}

// alive fails when the caller is gone: its thread id may belong to another
// process by now.
func (a *ask) alive() error {
	if !a.b.alive(a.n.id) {
		return unix.ESRCH
	}
	return nil
}

// path reads a NUL-terminated path of at most PATH_MAX bytes from the caller's
// memory, once: what is decided and what is done use this copy.
func (a *ask) path(addr uint64) (string, error) {
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

func (a *ask) read(addr uint64, to []byte) (int, error) {
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
func (a *ask) base(dirfd int32) (int, error) {
	name := a.proc("/cwd")
	if dirfd != atFDCWD {
		name = a.proc("/fd/" + strconv.Itoa(int(dirfd)))
	}
	fd, err := unix.Open(name, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err == unix.ENOENT && dirfd != atFDCWD {
		err = unix.EBADF
	}
	return fd, err
}

func (a *ask) proc(rest string) string { return "/proc/" + strconv.Itoa(a.pid) + rest }

// process is the caller's process id, which /proc/self means.
func (a *ask) process() int {
	if a.group == 0 {
		a.group, _ = strconv.Atoi(a.status("Tgid:"))
	}
	return a.group
}

// status is one field of /proc/PID/status.
func (a *ask) status(field string) string { return statusField(a.text("/status"), field) }

func statusField(text, field string) string {
	_, rest, _ := strings.Cut(text, "\n"+field)
	line, _, _ := strings.Cut(rest, "\n")
	return strings.TrimSpace(line)
}

func (a *ask) name() string { return strings.TrimSpace(a.text("/comm")) }

// text is a small file of the caller's directory in /proc, "" when it has none or
// is gone.
func (a *ask) text(name string) string {
	fd, err := unix.Open(a.proc(name), unix.O_RDONLY|unix.O_CLOEXEC, 0)
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

// terminal opens what /dev/tty means to the caller. The broker's own would be
// somebody else's.
func (a *ask) terminal() (int, error) {
	text := a.text("/stat")
	f := strings.Fields(text[strings.LastIndexByte(text, ')')+1:])
	if len(f) < 5 {
		return -1, unix.ENXIO
	}
	nr, err := strconv.Atoi(f[4])
	if err != nil || nr == 0 {
		return -1, unix.ENXIO
	}
	// tty_nr packs major and minor as dev_t of 32 bits. proc(5)
	major, minor := uint32(nr>>8&0xfff), uint32(nr&0xff|nr>>12&0xfff00)
	if major < 136 || major > 143 {
		return -1, unix.ENXIO // not a pseudo terminal
	}
	fd, err := unix.Open("/dev/pts/"+strconv.Itoa(int((major-136)<<8|minor)), unix.O_PATH|unix.O_CLOEXEC|unix.O_NOFOLLOW, 0)
	if err != nil {
		return -1, unix.ENXIO
	}
	var st unix.Stat_t
	if unix.Fstat(fd, &st) != nil || st.Rdev != unix.Mkdev(major, minor) {
		_ = unix.Close(fd)
		return -1, unix.ENXIO
	}
	return fd, nil
}

// realPath is where a descriptor's object is now; "pipe:[1]" and the like for
// what has no place.
func realPath(fd int) (string, error) {
	var buf [unix.PathMax + 64]byte
	n, err := unix.Readlinkat(ownFDs(), strconv.Itoa(fd), buf[:])
	if err != nil {
		return "", err
	}
	if n == len(buf) {
		return "", unix.ENAMETOOLONG
	}
	return string(buf[:n]), nil
}

// ownFDs is /proc/self/fd, opened once: half of what a look-up there costs is
// finding the directory.
var ownFDs = sync.OnceValue(func() int {
	fd, err := unix.Open("/proc/self/fd", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1 // every path is then refused
	}
	return fd
})

func fdPath(fd int) string { return "/proc/self/fd/" + strconv.Itoa(fd) }

func isBelow(path, dir string) bool {
	return len(path) > len(dir) && path[len(dir)] == '/' && path[:len(dir)] == dir || path == dir
}

func sameFile(a, b int) bool {
	var sa, sb unix.Stat_t
	return unix.Fstat(a, &sa) == nil && unix.Fstat(b, &sb) == nil && sa.Dev == sb.Dev && sa.Ino == sb.Ino
}
