package gocache

import (
	"os"
	"testing"

	"github.com/pillion-sidecar/pillion/test/needs"
)

func TestMain(m *testing.M) {
	if code, ok := Child(); ok {
		os.Exit(code)
	}
	os.Exit(needs.M{M: m}.Run())
}
