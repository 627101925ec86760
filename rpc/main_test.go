package rpc

import (
	"fmt"
	"os"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/pillion-sidecar/pillion/sandbox"
	"github.com/pillion-sidecar/pillion/test/needs"
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
	if len(os.Args) > 1 && os.Args[1] == helperMount {
		fmt.Fprintln(os.Stderr, mountAndServe(os.Args[2:]))
		os.Exit(1)
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "pillion-rpc")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	stateDir = dir
	code := needs.M{M: m}.Run()
	if b, err := boxes(); err == nil {
		b.Close()
	}
	if err := goleak.Find(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}
