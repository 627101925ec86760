package rpc

import (
	"fmt"
	"os"
	"testing"

	"github.com/pillion-sidecar/pillion/sandbox"
	"github.com/pillion-sidecar/pillion/test/box"
)

func TestMain(m *testing.M) {
	if code, ok := sandbox.Child(); ok {
		os.Exit(code)
	}
	if len(os.Args) > 1 && os.Args[1] == helperMount {
		fmt.Fprintln(os.Stderr, mountAndServe(os.Args[2:]))
		os.Exit(1)
	}
	os.Exit(box.Run(m))
}
