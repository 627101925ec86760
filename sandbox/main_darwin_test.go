package sandbox

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if code, ok := Child(); ok {
		os.Exit(code)
	}
	if len(os.Args) == 4 && os.Args[1] == "helper-sidecar" {
		os.Exit(sidecarHelper(os.Args[2], os.Args[3]))
	}
	goleak.VerifyTestMain(m)
}
