package canary

import (
	"maps"
	"slices"
	"syscall"

	"github.com/pillion-sidecar/pillion/sandbox/assess"
	"github.com/pillion-sidecar/pillion/sandbox/policy"
)

// windowsRefusals are the error codes by which Windows says no: access denied, a
// privilege or a level of impersonation that is lacking. Any other one means that the
// attempt proved nothing.
var windowsRefusals = []syscall.Errno{5, 1314, 1346}

// ReadWindows turns what a canary of Windows said into facts.
func ReadWindows(out, rung string, mode policy.Mode, nested bool) (assess.Facts, error) {
	f := assess.Facts{Rung: rung, Backend: assess.WindowsBackend(rung, mode, nested)}
	refused := func(_ string, errno syscall.Errno) bool { return slices.Contains(windowsRefusals, errno) }
	return read(out, f, mode, refused, nil)
}

// WindowsOff are the facts of mode off, which has the same job object and nothing else.
func WindowsOff(confined assess.Facts) assess.Facts {
	f := assess.Facts{Rung: confined.Rung, Backend: assess.WindowsBackend(confined.Rung, policy.Off, false), Refused: map[string]bool{}}
	if confined.Failure == nil {
		maps.Copy(f.Refused, map[string]bool{"daemon": confined.Refused["daemon"], "breakaway": confined.Refused["breakaway"]})
	}
	return f
}
