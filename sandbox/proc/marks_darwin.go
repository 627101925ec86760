package proc

import (
	"runtime"
	"sync"
	"unsafe"
)

// Marks tell the processes of a sandbox from all others, whatever they did to their
// parents, groups and sessions: a sandbox is inherited and can't be left, and the kernel
// says of any process of ours what its sandbox would allow. Only this sandbox allows to
// write own; none of ours allows to write none, and a process that isn't confined may
// write both. Both must exist. They need not be written in fact.
type Marks struct{ Own, None string }

// sandboxCheck is the function by which the system's own services ask:
//
//	int sandbox_check(pid_t, const char *operation, int type, ...)
//
// 0 is allowed, 1 denied, -1 an error. On arm64 what stands for the three dots
// travels on the stack; a call with six arguments puts the fourth there, as
// openat(2) needs it (runtime/sys_darwin_arm64.s).
var sandboxCheck = sync.OnceValues(func() (fn uintptr, quiet int32) {
	return Symbol("sandbox_check"), Variable("SANDBOX_CHECK_NO_REPORT", 0x40000000)
})

const filterPath = 1 // SANDBOX_FILTER_PATH

// writes asks whether a process may write a path.
func writes(pid int, path string) (allowed, known bool) {
	fn, quiet := sandboxCheck()
	if fn == 0 {
		return false, false
	}
	operation, file := append([]byte("file-write-data"), 0), append([]byte(path), 0)
	r, _, _ := syscall_syscall6(fn, uintptr(pid), uintptr(unsafe.Pointer(&operation[0])), uintptr(filterPath|quiet), uintptr(unsafe.Pointer(&file[0])), 0, 0)
	runtime.KeepAlive(operation)
	runtime.KeepAlive(file)
	return int32(r) == 0, int32(r) == 0 || int32(r) == 1 // what is above an int is anything
}

// Has says whether a process is in the sandbox. When in doubt it is not: who is
// asked about is killed.
func (m Marks) Has(pid int) bool {
	if allowed, known := writes(pid, m.None); allowed || !known {
		return false
	}
	allowed, known := writes(pid, m.Own)
	return allowed && known
}
