//go:build unix

package executor

import (
	"io"
	"os"
	"syscall"
)

// copyReady hands every read of f to write, and takes a buffer only while there
// are bytes to put in it: a thousand silent commands cost no buffers. It returns
// io.EOF at the end of the pipe.
func copyReady(f *os.File, write func([]byte) error) error {
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
			n, fail = syscall.Read(int(fd), buf[:])
			if fail == syscall.EAGAIN {
				return false // wait until it is readable
			}
			if fail == nil && n > 0 {
				fail = write(buf[:n])
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
