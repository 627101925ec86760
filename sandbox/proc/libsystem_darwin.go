package proc

import (
	"runtime"
	"syscall"
	"unsafe"
)

// Some calls of macOS are in no package: they are functions of libSystem, found by
// their names while we run. One that this macOS doesn't have is simply not there, and
// who needs it finds out by trying. The declarations are those by which Go's own
// packages call libSystem.

//go:linkname syscall_syscall6 syscall.syscall6
func syscall_syscall6(fn, a1, a2, a3, a4, a5, a6 uintptr) (r1, r2 uintptr, err syscall.Errno)

//go:cgo_import_dynamic libc_dlsym dlsym "/usr/lib/libSystem.B.dylib"

// libc_dlsym_trampoline_addr is set in libsystem_darwin.s.
var libc_dlsym_trampoline_addr uintptr

// rtldDefault looks through all that is loaded. dlsym(3)
const rtldDefault = ^uintptr(1) // (void *) -2

// Symbol is the address of a function or variable, or 0.
func Symbol(name string) uintptr {
	b := append([]byte(name), 0)
	addr, _, _ := syscall_syscall6(libc_dlsym_trampoline_addr, rtldDefault, uintptr(unsafe.Pointer(&b[0])), 0, 0, 0, 0)
	runtime.KeepAlive(b)
	return addr
}

// Variable reads an exported int, or returns fallback.
func Variable(name string, fallback int32) int32 {
	addr := Symbol(name)
	if addr == 0 {
		return fallback
	}
	return **(**int32)(unsafe.Pointer(&addr))
}

// Call calls a function of libSystem.
func Call(fn, a1, a2, a3, a4, a5, a6 uintptr) (r1 uintptr, err syscall.Errno) {
	r1, _, err = syscall_syscall6(fn, a1, a2, a3, a4, a5, a6)
	return r1, err
}
