package sandbox

import (
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	if code, ok := Child(); ok {
		os.Exit(code)
	}
	if code, ok := actor(); ok {
		os.Exit(code)
	}
	os.Exit(m.Run())
}
