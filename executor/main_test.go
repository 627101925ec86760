package executor

import (
	"os"
	"testing"

	"github.com/pillion-sidecar/pillion/sandbox"
	"github.com/pillion-sidecar/pillion/test/box"
)

func TestMain(m *testing.M) {
	if code, ok := sandbox.Child(); ok {
		os.Exit(code)
	}
	if code, ok := driver(); ok {
		os.Exit(code)
	}
	os.Exit(box.Run(m))
}
