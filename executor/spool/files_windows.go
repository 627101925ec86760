package spool

import (
	"crypto/rand"
	"errors"
	"math"
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"
)

// unlinkedFile is a file that goes with its handle, however we end, and that no other
// process can open meanwhile.
func unlinkedFile(dir string) (*os.File, error) {
	path := filepath.Join(dir, "spool-"+rand.Text())
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}
	const access = windows.GENERIC_READ | windows.GENERIC_WRITE | windows.DELETE
	const flags = windows.FILE_ATTRIBUTE_NORMAL | windows.FILE_FLAG_DELETE_ON_CLOSE
	h, err := windows.CreateFile(name, access, 0, nil, windows.CREATE_NEW, flags, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(h), path), nil
}

// noSpace says that a file could not grow or be made because the disk, or the user's
// part of it, is full.
func noSpace(err error) bool {
	return errors.Is(err, windows.ERROR_DISK_FULL) || errors.Is(err, windows.ERROR_HANDLE_DISK_FULL) || errors.Is(err, windows.ERROR_DISK_QUOTA_EXCEEDED)
}

// freeSpace is what may be written on the disk of dir, a great deal where it does not
// tell.
func freeSpace(dir string) int64 {
	name, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return math.MaxInt64
	}
	var free uint64
	if err := windows.GetDiskFreeSpaceEx(name, &free, nil, nil); err != nil {
		return math.MaxInt64
	}
	return int64(min(free, math.MaxInt64))
}

// OutputPipe makes a pipe whose reading end is ours and whose writing end is an
// ordinary blocking one, as programs expect.
func OutputPipe() (r, w *os.File, err error) {
	return pipe(windows.PIPE_ACCESS_INBOUND, windows.GENERIC_WRITE|windows.FILE_READ_ATTRIBUTES)
}

// InputPipe is the same with the writing end ours.
func InputPipe() (r, w *os.File, err error) {
	w, r, err = pipe(windows.PIPE_ACCESS_OUTBOUND, windows.GENERIC_READ|windows.FILE_WRITE_ATTRIBUTES)
	return r, w, err
}

// pipeSize is what a pipe holds, in bytes.
const pipeSize = 64 << 10

// pipe makes one with a name, because only those can have an end that never blocks a
// thread and that takes deadlines. If another process guesses the name and connects first,
// our own end is refused: there is one instance, for one client.
func pipe(ours, theirs uint32) (server, client *os.File, err error) {
	path := `\\.\pipe\pillion-` + rand.Text()
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return nil, nil, err
	}
	const mode = windows.PIPE_TYPE_BYTE | windows.PIPE_WAIT | windows.PIPE_REJECT_REMOTE_CLIENTS
	s, err := windows.CreateNamedPipe(name, ours|windows.FILE_FLAG_OVERLAPPED|windows.FILE_FLAG_FIRST_PIPE_INSTANCE, mode, 1, pipeSize, pipeSize, 0, nil)
	if err != nil {
		return nil, nil, os.NewSyscallError("CreateNamedPipe", err)
	}
	c, err := windows.CreateFile(name, theirs, 0, nil, windows.OPEN_EXISTING, windows.SECURITY_SQOS_PRESENT|windows.SECURITY_ANONYMOUS, 0)
	if err != nil {
		return nil, nil, errors.Join(os.NewSyscallError("CreateFile(pipe)", err), windows.CloseHandle(s))
	}
	return os.NewFile(uintptr(s), "pipe"), os.NewFile(uintptr(c), "pipe"), nil
}

// Duplicate makes a second handle of the same open file. No child inherits it.
func Duplicate(f *os.File) (second *os.File, err error) {
	raw, err := f.SyscallConn()
	if err != nil {
		return nil, err
	}
	cerr := raw.Control(func(fd uintptr) {
		self := windows.CurrentProcess()
		var h windows.Handle
		derr := windows.DuplicateHandle(self, windows.Handle(fd), self, &h, 0, false, windows.DUPLICATE_SAME_ACCESS)
		if err = os.NewSyscallError("DuplicateHandle", derr); err == nil {
			second = os.NewFile(uintptr(h), f.Name())
		}
	})
	return second, errors.Join(cerr, err)
}
