package sandbox

import (
	"fmt"
	"os"
	"strconv"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if code, ok := Child(); ok {
		os.Exit(code)
	}
	if code, ok := helper(); ok {
		syscall.RawSyscall(syscall.SYS_EXIT_GROUP, uintptr(code), 0, 0) // the race detector's exit takes a second
	}
	goleak.VerifyTestMain(m)
}

// helper lets the test binary be the program that runs in the sandbox: raw
// system calls and process tricks no installed tool is sure to offer.
func helper() (code int, ok bool) {
	if len(os.Args) < 2 {
		return 0, false
	}
	switch os.Args[1] {
	case "helper-syscall": // number and up to six arguments, prints the errno
		var a [7]uintptr
		for i, s := range os.Args[2:] {
			n, err := strconv.ParseInt(s, 0, 64)
			if err != nil {
				return 2, true
			}
			a[i] = uintptr(n)
		}
		_, _, errno := syscall.RawSyscall6(a[0], a[1], a[2], a[3], a[4], a[5], a[6])
		fmt.Println(int(errno))
		return 0, true
	case "helper-attempt": // one of the canary's attempts, prints the errno
		return attemptHelper(os.Args[2], os.Args[3:]), true
	case "helper-daemonize": // a double-forked, setsid'ed process that outlives us
		again := "helper-daemon"
		if len(os.Args) > 2 {
			again = "helper-daemonize"
		}
		pid, err := syscall.ForkExec("/proc/self/exe", []string{os.Args[0], again}, &syscall.ProcAttr{
			Sys: &syscall.SysProcAttr{Setsid: true},
		})
		if err != nil {
			return 2, true
		}
		if again == "helper-daemonize" { // the middle one must get to fork
			_, _ = syscall.Wait4(pid, nil, 0, nil)
		}
		if again == "helper-daemon" {
			_ = os.WriteFile("daemon.pid", []byte(strconv.Itoa(pid)), 0o600)
		}
		return 0, true
	case "helper-create":
		return createHelper(), true
	case "helper-memfd":
		return hoardNameless(), true
	case "helper-headless":
		return headless(), true
	case "helper-race":
		return raceHelper(os.Args[2], os.Args[3]), true
	case "helper-trick":
		return trickHelper(os.Args[2]), true
	case "helper-swap":
		return swapHelper(), true
	case "helper-broker":
		return brokerHelper(os.Args[2:]), true
	case "helper-root", "helper-root-runner", "helper-root-change", "helper-root-terminal":
		return rootHelper(os.Args[1]), true
	case "helper-daemon":
		time.Sleep(time.Minute)
		return 0, true
	}
	if f, ok := checkHelpers[os.Args[1]]; ok {
		return f(os.Args[2:]), true
	}
	return 0, false
}
