package sandbox

import (
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

func init() {
	// The main goroutine must own the first thread before any other goroutine can
	// land on it: that thread is the parent whose death ends the next process
	// (PR_SET_PDEATHSIG), the one that gives up its rights before it execs, and in
	// a runner the one that must stay out of the commands' own domain.
	if isChild() && os.Args[0] != canaryName && os.Args[0] != daemonName {
		runtime.LockOSThread()
	}
}

func child(args []string) (code int, ok bool) {
	switch args[0] {
	case keeperName:
		code = keeperMain(args[1:])
	case holderName:
		code = holderMain()
	case confineName:
		code = confineMain()
	case runnerName:
		code = runnerMain(args[1:])
	case canaryName:
		code = canaryMain(args)
	case daemonName:
		code = daemonMain()
	default:
		return 0, false
	}
	// Straight to the kernel: there are no exit hooks of ours to run, and the race
	// detector's waits a second in every one of these processes.
	unix.RawSyscall(unix.SYS_EXIT_GROUP, uintptr(code), 0, 0)
	return code, true
}
