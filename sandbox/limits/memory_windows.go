package limits

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

// TotalMemory is how much there is for us, 0 where that is not known.
func TotalMemory() int64 {
	// MEMORYSTATUSEX of sysinfoapi.h
	var m struct {
		length, load uint32
		total        uint64
		rest         [6]uint64
	}
	m.length = uint32(unsafe.Sizeof(m))
	if r, _, _ := windows.NewLazySystemDLL("kernel32.dll").NewProc("GlobalMemoryStatusEx").Call(uintptr(unsafe.Pointer(&m))); r == 0 {
		return 0
	}
	return int64(m.total)
}
