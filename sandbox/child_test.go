package sandbox

import (
	"os"
	"strings"
	"testing"

	"github.com/pillion-sidecar/pillion/sandbox/wire"
)

// A program that forgot to call Child must not start itself for ever.
func TestAForgottenChildCallEndsAtTheFirstChild(t *testing.T) {
	old := os.Args
	defer func() { os.Args = old }()
	for _, name := range []string{wire.Runner, wire.Canary, wire.Daemon} {
		os.Args = []string{name}
		if _, err := Open(Options{StateDir: t.TempDir()}); err == nil || !strings.Contains(err.Error(), "sandbox.Child") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
