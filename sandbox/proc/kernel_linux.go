package proc

import "golang.org/x/sys/unix"

// KernelRelease is the version of the running kernel.
func KernelRelease() string {
	var u unix.Utsname
	if err := unix.Uname(&u); err != nil {
		return ""
	}
	return unix.ByteSliceToString(u.Release[:])
}
