//go:build unix

package jsonrpc

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// attempts is nil unless out is a descriptor that never waits: on a terminal or
// a file a write could hold up the reader.
func attempts(out io.Writer) attempt {
	f, ok := out.(*os.File)
	if !ok {
		return nil
	}
	c, err := f.SyscallConn()
	if err != nil {
		return nil
	}
	flags := 0
	if c.Control(func(fd uintptr) { flags, err = unix.FcntlInt(fd, unix.F_GETFL, 0) }) != nil || err != nil || flags&unix.O_NONBLOCK == 0 {
		return nil
	}
	return func(b []byte) (n int) {
		_ = c.Write(func(fd uintptr) bool { n = writeNow(fd, b); return true })
		return n
	}
}
