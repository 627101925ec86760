package proc

import "golang.org/x/sys/unix"

// KernelRelease is the version of the running kernel.
func KernelRelease() string {
	release, err := unix.Sysctl("kern.osrelease")
	if err != nil {
		return ""
	}
	return release
}
