//go:build !race

package jsonrpc

import (
	"io"
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// At the first system call after a silence the runtime wakes a thread that watches over
// system calls. For a small request that costs as much as all the rest of it. So these two
// are made without its knowledge. Then they must not wait: RWF_NOWAIT (preadv2(2), for
// pipes since Linux 6.4) says so to the kernel, even if another process has a descriptor
// of the same pipe and sets its flags.
//
// They are for the client's pipes only. A command may stop in the middle of a write (from
// the memory of a file, say, whose server has gone) with its pipe locked, and a wait for
// that lock in here would hold up every other command.

// prompt is a reader of a file that never waits in a system call.
type prompt struct {
	file *os.File
	raw  syscall.RawConn
}

// Promptly is in, or a faster reader of it.
func Promptly(in io.Reader) io.Reader {
	f, ok := in.(*os.File)
	if !ok {
		return in
	}
	raw, err := f.SyscallConn()
	if err != nil {
		return in
	}
	return prompt{f, raw}
}

// promptMost bounds what is copied at once, in bytes.
const promptMost = 64 << 10

func (p prompt) Read(b []byte) (n int, err error) {
	if len(b) > 0 {
		err = p.raw.Read(func(fd uintptr) bool {
			var fail syscall.Errno
			n, fail = readNow(fd, b[:min(len(b), promptMost)])
			return fail != unix.EAGAIN
		})
	}
	if n > 0 && err == nil {
		return n, nil
	}
	return p.file.Read(b) // the end, or an error, or a kernel that does not know how
}

func readNow(fd uintptr, b []byte) (int, syscall.Errno) { return now(unix.SYS_PREADV2, fd, b) }

// writeNow returns how much of b the client's pipe took.
func writeNow(fd uintptr, b []byte) int {
	n, fail := now(unix.SYS_PWRITEV2, fd, b)
	if fail == unix.EOPNOTSUPP || fail == unix.ENOSYS {
		n, _ = syscall.Write(int(fd), b)
	}
	return max(n, 0)
}

func now(call, fd uintptr, b []byte) (int, syscall.Errno) {
	if len(b) == 0 {
		return 0, 0
	}
	vec := unix.Iovec{Base: &b[0]}
	vec.SetLen(len(b))
	const here = ^uintptr(0) // not at an offset
	n, _, fail := syscall.RawSyscall6(call, fd, uintptr(unsafe.Pointer(&vec)), 1, here, here, unix.RWF_NOWAIT)
	if fail != 0 {
		return 0, fail
	}
	return int(n), 0
}
