package one

import (
	"os"
	"testing"

	"github.com/pillion-sidecar/pillion/test/needs"
)

func TestMain(m *testing.M) { os.Exit(needs.M{M: m}.Run()) }

func TestLacks(t *testing.T) { needs.Program(t, "curl") }
