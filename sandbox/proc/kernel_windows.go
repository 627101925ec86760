package proc

import "golang.org/x/sys/windows"

// KernelRelease is the version and build of Windows.
func KernelRelease() string {
	v := windows.RtlGetVersion()
	return release(v.MajorVersion, v.MinorVersion, v.BuildNumber)
}
