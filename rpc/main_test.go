package rpc

import (
	"fmt"
	"os"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/pillion-sidecar/pillion/sandbox"
)

// boxes are shared by all tests: each Manager tests the machine once.
var boxes = sync.OnceValues(func() (*sandbox.Manager, error) {
	return sandbox.Open(sandbox.Options{StateDir: stateDir})
})

var stateDir string

func TestMain(m *testing.M) {
	if code, ok := sandbox.Child(); ok {
		os.Exit(code)
	}
	if startedByItself() {
		fmt.Fprintln(os.Stderr, "a runner was not recognised; running the tests again would never end")
		os.Exit(1)
	}
	os.Exit(run(m))
}

// startedByItself keeps a broken sandbox.Child from turning the test binary into
// a fork bomb.
func startedByItself() bool {
	parent, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", os.Getppid()))
	self, err2 := os.Executable()
	return err == nil && err2 == nil && parent == self
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "pillion-rpc")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	stateDir = dir
	code := m.Run()
	if b, err := boxes(); err == nil {
		b.Close()
	}
	if err := goleak.Find(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}
