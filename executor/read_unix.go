//go:build unix

package executor

import (
	"io"
	"os"
	"syscall"
)

// copyReady hands every read of f to write, and takes a buffer only while there
// are bytes to put in it: a thousand silent commands cost no buffers. room says how
// many may be read at a time; where there are none now, write gets none, so that it
// knows. It returns io.EOF at the end of the pipe, errNoRoom where none may.
func copyReady(f *os.File, room func(int) int, write func([]byte)) error {
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	for {
		var n int
		var fail error
		err := raw.Read(func(fd uintptr) bool {
			buf := readBuffers.Get().(*[readSize]byte)
			defer readBuffers.Put(buf)
			most := room(len(buf))
			if most <= 0 {
				fail = errNoRoom
				return true
			}
			n, fail = syscall.Read(int(fd), buf[:most])
			if fail == syscall.EAGAIN {
				write(nil)
				return false // wait until it is readable
			}
			if fail == nil && n > 0 {
				write(buf[:n])
			}
			return true
		})
		switch {
		case err != nil:
			return err
		case fail == syscall.EINTR:
		case fail != nil:
			return fail
		case n == 0:
			return io.EOF
		}
	}
}
