package executor

import (
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/pillion-sidecar/pillion/sandbox"
)

func TestMain(m *testing.M) {
	if code, ok := sandbox.Child(); ok {
		os.Exit(code)
	}
	if code, ok := driver(); ok {
		os.Exit(code)
	}
	goleak.VerifyTestMain(m)
}
