package files

import (
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// KernelPath is the name of an existing file that the kernel gives to the sandbox:
// the case that is on the disk, and no links. fcntl(2), F_GETPATH
func KernelPath(path string) (string, error) {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return "", &os.PathError{Op: "open", Path: path, Err: err}
	}
	defer unix.Close(fd)
	buf := make([]byte, unix.PathMax)
	_, _, errno := syscall.Syscall(syscall.SYS_FCNTL, uintptr(fd), unix.F_GETPATH, uintptr(unsafe.Pointer(&buf[0])))
	if errno != 0 {
		return "", &os.PathError{Op: "F_GETPATH", Path: path, Err: errno}
	}
	return unix.ByteSliceToString(buf), nil
}
