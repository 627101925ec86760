package sandbox

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"unsafe"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// enterDomain is landlock_restrict_self(2) for the calling thread.
func enterDomain(ruleset int) error {
	if _, _, errno := unix.RawSyscall(unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(ruleset), 0, 0); errno != 0 {
		return fmt.Errorf("landlock_restrict_self: %w", errno)
	}
	return nil
}

// installPolicy puts the calling OS thread, and everything it forks, behind the
// seccomp filter for good, and returns the listener for the broker. The thread
// must be locked and must not be the process's first one: a filtered group leader
// would be in the commands' signal scope with the whole process.
func installPolicy(c conf) (listener int, err error) {
	tid := unix.Gettid()
	if tid == unix.Getpid() {
		return -1, errors.New("refusing to restrict the main thread")
	}
	k := keeper{pid: uint32(unix.Getpid()), tid: uint32(tid)}
	nr := syscallNumbers()
	prog, err := assemble(auditArch, newestOf(nr), filterRules(nr, c, k))
	if err != nil {
		return -1, fmt.Errorf("seccomp filter: %w", err)
	}
	return installFilter(prog)
}

// installFilter is seccomp(2) with a listener. WAIT_KILLABLE_RECV (Linux 5.19)
// keeps a signal from restarting a call the broker has already done.
func installFilter(prog []bpf.RawInstruction) (int, error) {
	code := make([]unix.SockFilter, len(prog))
	for i, ins := range prog {
		code[i] = unix.SockFilter{Code: ins.Op, Jt: ins.Jt, Jf: ins.Jf, K: ins.K}
	}
	fprog := unix.SockFprog{Len: uint16(len(code)), Filter: &code[0]}
	fd, _, errno := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER,
		unix.SECCOMP_FILTER_FLAG_NEW_LISTENER|unix.SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, uintptr(unsafe.Pointer(&fprog)))
	runtime.KeepAlive(code)
	if errno != 0 {
		return -1, fmt.Errorf("seccomp: %w", errno)
	}
	unix.CloseOnExec(int(fd))
	return int(fd), nil
}

// dropCapabilities empties every capability set of the calling thread, the
// bounding set too where that is allowed, and checks that it worked: a root
// caller keeps uid 0 and nothing else.
func dropCapabilities() error {
	for c := uintptr(0); ; c++ {
		err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0)
		if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.EPERM) {
			break // past the last one, or an ordinary user, who has none to lose
		}
		if err != nil {
			return fmt.Errorf("drop bounding capability %d: %w", c, err)
		}
	}
	if os.Geteuid() == 0 {
		// Without CAP_SETPCAP this fails; no_new_privs alone then keeps exec
		// from giving uid 0 its capabilities back.
		_ = unix.Prctl(unix.PR_SET_SECUREBITS, secureBits, 0, 0, 0)
	}
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return fmt.Errorf("clear ambient capabilities: %w", err)
	}
	head := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	if err := unix.Capset(&head, &data[0]); err != nil {
		return fmt.Errorf("capset: %w", err)
	}
	if err := unix.Capget(&head, &data[0]); err != nil {
		return fmt.Errorf("capget: %w", err)
	}
	if data != [2]unix.CapUserData{} {
		return errors.New("capabilities are left after dropping them")
	}
	return nil
}

// secureBits: SECBIT_NOROOT, NO_SETUID_FIXUP, KEEP_CAPS off, NO_CAP_AMBIENT_RAISE,
// each locked. capabilities(7)
const secureBits = 1<<0 | 1<<1 | 1<<2 | 1<<3 | 1<<5 | 1<<6 | 1<<7
