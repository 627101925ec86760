package inside

import (
	"os"
	"runtime"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/wire"
)

func init() {
	// The main goroutine must own the first thread before any other goroutine can
	// land on it: that thread is the parent whose death ends the next process
	// (PR_SET_PDEATHSIG), the one that gives up its rights before it execs, and in
	// a runner the one that must stay out of the commands' own domain.
	switch wire.Name(os.Args) {
	case wire.Keeper, wire.Holder, wire.Confine, wire.Runner:
		runtime.LockOSThread()
		// Here, because most of what the program imports is not initialised yet, and one of
		// these processes needs none of it: four of them start before a command does.
		Exit(Main(wire.Name(os.Args), os.Args[1:]))
	}
}

// Main is the process of that name.
func Main(name string, args []string) int {
	switch name {
	case wire.Keeper:
		return keeperMain(args)
	case wire.Holder:
		return holderMain()
	case wire.Confine:
		return confineMain()
	case wire.Runner:
		return runnerMain()
	}
	return 2
}

// Exit ends the process. Straight to the kernel: there are no exit hooks of ours to
// run, and the race detector's waits a second in every one of these processes.
func Exit(code int) { unix.RawSyscall(unix.SYS_EXIT_GROUP, uintptr(code), 0, 0) }
