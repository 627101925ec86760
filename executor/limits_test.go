package executor

import (
	"testing"

	"github.com/pillion-sidecar/pillion/sandbox"
)

func TestFirstCauseWinsOverALimit(t *testing.T) {
	for _, tt := range []struct {
		why   Reason
		limit sandbox.Limit
		want  Reason
	}{
		{Exited, "", Exited},
		{Exited, sandbox.LimitMemory, MemoryLimit},
		{Exited, sandbox.LimitProcesses, ProcessLimit},
		{Exited, sandbox.LimitFileSize, FileSizeLimit},
		{Exited, sandbox.LimitDisk, FileSizeLimit},
		{Exited, sandbox.LimitCPU, CPULimit},
		{Cancelled, sandbox.LimitMemory, Cancelled},
		{TimedOut, sandbox.LimitCPU, TimedOut},
		{Shutdown, sandbox.LimitMemory, Shutdown},
		{SandboxLost, sandbox.LimitMemory, SandboxLost},
	} {
		if got := limited(tt.why, tt.limit); got != tt.want {
			t.Errorf("%s and %q: %s", tt.why, tt.limit, got)
		}
	}
}
