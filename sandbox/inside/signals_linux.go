package inside

import (
	"errors"
	"unsafe"

	"golang.org/x/sys/unix"
)

// newestSignal is the last of the kernel's numbers. signal(7)
const newestSignal = 64

// forgoSignals gives the handling of every signal back to the kernel, which has an own
// way with PID 1 of a namespace: from inside it gets no signal that it has no handler
// for, whichever of its threads was meant. Go's runtime has one for nearly each, and ends
// the process in some. Without Landlock's scope nothing else would keep a command from
// ending what holds it. pid_namespaces(7)
func forgoSignals() error {
	var action [4]uint64 // struct sigaction of the kernel: no handler, no flags, no mask
	for sig := uintptr(1); sig <= newestSignal; sig++ {
		_, _, errno := unix.RawSyscall6(unix.SYS_RT_SIGACTION, sig, uintptr(unsafe.Pointer(&action)), 0, unsafe.Sizeof(action[0]), 0, 0)
		if errno != 0 && !errors.Is(errno, unix.EINVAL) { // SIGKILL and SIGSTOP have none
			return errno
		}
	}
	return nil
}
