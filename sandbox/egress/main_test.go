package egress

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/pillion-sidecar/pillion/test/needs"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(needs.M{M: m}) }
