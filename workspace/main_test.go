package workspace

import (
	"os"
	"testing"

	"github.com/pillion-sidecar/pillion/test/needs"
)

// Whichever package ends last says what was not tested.
func TestMain(m *testing.M) { os.Exit(needs.M{M: m}.Run()) }
