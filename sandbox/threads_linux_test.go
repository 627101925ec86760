package sandbox

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/pillion-sidecar/pillion/sandbox/proc"
)

// Exactly two threads of a runner are restricted, the one that starts commands and the
// broker's, and never its group leader: a restricted leader would put the process into its
// commands' signal scope, and a third thread would mean that the Go runtime had cloned one.
func TestTwoThreadsOfARunnerAreRestricted(t *testing.T) {
	b := newBench(t)
	b.sh("touch f && chmod 600 f") // the broker has worked too
	s, err := b.m.Sandbox(b.policy)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range s.box.idle {
		pid := proc.PIDOf(r.pidfd)
		tasks, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
		if err != nil {
			t.Fatal(err)
		}
		var restricted []string
		for _, task := range tasks {
			status, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/status", pid, task.Name()))
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(status), "Seccomp:\t2") {
				restricted = append(restricted, task.Name())
			}
		}
		if len(restricted) != 2 || slices.Contains(restricted, fmt.Sprint(pid)) {
			t.Errorf("runner %d of %d threads: restricted %v", pid, len(tasks), restricted)
		}
	}
}
