package sandbox

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// Exactly one thread of a runner is restricted, and never its group leader: a
// restricted leader would put the process into its commands' signal scope, and a
// second restricted thread would mean that the Go runtime had cloned one.
func TestOneThreadOfARunnerIsRestricted(t *testing.T) {
	b := newBench(t)
	b.sh("touch f && chmod 600 f") // the broker has worked too
	s, err := b.m.Sandbox(b.policy)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range s.box.idle {
		pid := pidOf(r.pidfd)
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
		if len(restricted) != 1 || restricted[0] == fmt.Sprint(pid) {
			t.Errorf("runner %d of %d threads: restricted %v", pid, len(tasks), restricted)
		}
	}
}
