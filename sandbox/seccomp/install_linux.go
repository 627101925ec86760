package seccomp

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/policy"
)

// Install puts the calling OS thread, and everything it forks, under the seccomp filter
// for good, and returns the listener for the broker. The thread must be locked and must
// not be the process's first one: a filtered group leader would be in the commands' signal
// scope with the whole process.
func Install(c policy.Conf) (listener int, err error) {
	tid := unix.Gettid()
	if tid == unix.Getpid() {
		return -1, errors.New("refusing to restrict the main thread")
	}
	k := Runner{PID: uint32(unix.Getpid()), TID: uint32(tid)}
	nr := Numbers()
	prog, err := Assemble(AuditArch, Newest(nr), Rules(nr, c, k))
	if err != nil {
		return -1, fmt.Errorf("seccomp filter: %w", err)
	}
	return InstallFilter(prog)
}

// InstallFilter is seccomp(2) with a listener. WAIT_KILLABLE_RECV (Linux 5.19)
// keeps a signal from restarting a call the broker has already done.
func InstallFilter(prog []bpf.RawInstruction) (int, error) {
	fd, err := setFilter(prog, unix.SECCOMP_FILTER_FLAG_NEW_LISTENER|unix.SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV)
	if err == nil {
		unix.CloseOnExec(fd)
	}
	return fd, err
}

// enterFilter is seccomp(2) for the calling thread, without a listener.
func enterFilter(prog []bpf.RawInstruction) error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	_, err := setFilter(prog, 0)
	return err
}

func setFilter(prog []bpf.RawInstruction, flags uintptr) (int, error) {
	code := make([]unix.SockFilter, len(prog))
	for i, ins := range prog {
		code[i] = unix.SockFilter{Code: ins.Op, Jt: ins.Jt, Jf: ins.Jf, K: ins.K}
	}
	fprog := unix.SockFprog{Len: uint16(len(code)), Filter: &code[0]}
	fd, _, errno := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags, uintptr(unsafe.Pointer(&fprog)))
	runtime.KeepAlive(code)
	if errno != 0 {
		return -1, fmt.Errorf("seccomp: %w", errno)
	}
	return int(fd), nil
}
