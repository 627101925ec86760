package sandbox

import (
	"os"
	"syscall"
	"testing"

	"go.uber.org/goleak"

	"github.com/pillion-sidecar/pillion/test/needs"
	"github.com/pillion-sidecar/pillion/test/users"
)

func TestMain(m *testing.M) {
	if code, ok := Child(); ok {
		os.Exit(code)
	}
	if code, ok := helper(); ok {
		syscall.RawSyscall(syscall.SYS_EXIT_GROUP, uintptr(code), 0, 0) // the race detector's exit takes a second
	}
	goleak.VerifyTestMain(users.M{M: needs.M{M: m}})
}

// helper lets the test binary be the program that runs in the sandbox: raw
// system calls and process tricks no installed tool is sure to offer.
func helper() (code int, ok bool) {
	if len(os.Args) < 2 {
		return 0, false
	}
	switch os.Args[1] {
	case "helper-attempt": // one of the canary's attempts, prints the errno
		return attemptHelper(os.Args[2], os.Args[3:]), true
	case "helper-listen":
		return listenHelper(os.Args[2:]), true
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
	case "helper-storm":
		return stormHelper(), true
	case "helper-watch":
		return watchHelper(os.Args[2:]), true
	case "helper-deaf":
		return deafHelper(), true
	case "helper-waits":
		return waitsHelper(os.Args[2]), true
	case "helper-say":
		return sayHelper(os.Args[2]), true
	case "helper-sockets":
		return socketsHelper(), true
	case "helper-swap-address":
		return swapAddressHelper(os.Args[2]), true
	case "helper-grab":
		return grabHelper(), true
	case "helper-exchange":
		return exchangeHelper(os.Args[2]), true
	case "helper-move-in":
		return moveInHelper(os.Args[2], os.Args[3], os.Args[4]), true
	case "helper-deep":
		return deepHelper(os.Args[2]), true
	case "helper-swap":
		return swapHelper(), true
	case "helper-root", "helper-root-runner", "helper-root-change", "helper-root-terminal":
		return rootHelper(os.Args[1]), true
	}
	if f, ok := checkHelpers[os.Args[1]]; ok {
		return f(os.Args[2:]), true
	}
	return 0, false
}
