package sandbox

import "golang.org/x/sys/unix"

func child(args []string) (code int, ok bool) {
	switch args[0] {
	case runnerName:
		code = runnerMain(args)
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
