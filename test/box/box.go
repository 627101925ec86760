// Package box is the sandbox that all tests of a package share: each Manager tests the
// machine once, which takes longer than most tests.
package box

import (
	"fmt"
	"os"
	"sync"
	"testing"

	"github.com/pillion-sidecar/pillion/sandbox"
	"github.com/pillion-sidecar/pillion/test/needs"
)

// StateDir is the Manager's while the tests run.
var StateDir string

// Manager is the same for all tests. Run closes it.
var Manager = sync.OnceValues(func() (*sandbox.Manager, error) {
	return sandbox.Open(sandbox.Options{StateDir: StateDir})
})

// Run runs the tests, and then looks for what they have left running.
func Run(m *testing.M) int {
	dir, err := needs.TempDir("pillion-test")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	StateDir = dir
	code := needs.M{M: m}.Run()
	if manager, err := Manager(); err == nil {
		manager.Close()
	}
	if err := needs.Leaks(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}
