package limits

import "golang.org/x/sys/unix"

// TotalMemory is how much there is for us, 0 where that is not known.
func TotalMemory() int64 {
	n, err := unix.SysctlUint64("hw.memsize")
	if err != nil {
		return 0
	}
	return int64(n)
}
