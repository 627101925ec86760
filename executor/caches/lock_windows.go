package caches

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// openLock opens path, made if need be, and locks it together with others, or
// alone or not at all.
func openLock(path string, sole bool) (*os.File, error) {
	var flags uint32
	if sole {
		flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	}
	return lockFile(path, windows.OPEN_ALWAYS, flags)
}

// soleLock locks path against all others, or fails at once.
func soleLock(path string) (*os.File, error) {
	return lockFile(path, windows.OPEN_EXISTING, windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY)
}

// lockFile opens it so that it can be removed while it is open.
func lockFile(path string, how, flags uint32) (*os.File, error) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}
	const access = windows.GENERIC_READ | windows.GENERIC_WRITE
	const share = windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE
	h, err := windows.CreateFile(name, access, share, nil, how, windows.FILE_ATTRIBUTE_NORMAL, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	f := os.NewFile(uintptr(h), path)
	if err := windows.LockFileEx(h, flags, 0, 1, 0, new(windows.Overlapped)); err != nil {
		_ = f.Close()
		return nil, &os.PathError{Op: "lock", Path: path, Err: err}
	}
	return f, nil
}

// held says that somebody else has what is to be locked, or is removing it.
func held(err error) bool {
	return errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_ACCESS_DENIED)
}
