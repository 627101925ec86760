package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/proc"
)

// Somebody has stopped every process of ours when the sidecar is killed: all that the
// command has started ends, and nobody has to wake anything up.
func TestStoppedProcessesOfOursEndWithTheSidecar(t *testing.T) {
	onEveryRung(t, func(t *testing.T, rung string) {
		r := newRoom(t, rung)
		state := filepath.Join(r.base, "stopped")
		cmd := startSidecar(t, state, r.repo)
		ours := oursBelow(cmd.Process.Pid)
		if len(ours) < 2 {
			t.Fatalf("%v", ours)
		}
		defer func() { // else they would stay for ever
			for _, pid := range ours {
				_ = unix.Kill(pid, unix.SIGKILL)
			}
		}()
		for _, pid := range ours {
			kill(t, pid, unix.SIGSTOP)
		}
		must(t, cmd.Process.Kill())
		_ = cmd.Wait()
		waitFor(t, func() bool { return len(alive("98714."+mark())) == 0 && len(aliveIn(state)) == 0 })
		waitFor(t, func() bool {
			return !slices.ContainsFunc(ours, func(pid int) bool { return processAlive(pid) })
		})
	})
}

// oursBelow are the processes of ours that a sidecar has started, the keepers first.
func oursBelow(pid int) (all []int) {
	for _, p := range proc.Tree(pid) {
		line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", p.PID))
		if strings.HasPrefix(string(line), "pillion-") {
			all = append(all, p.PID)
		}
	}
	return all
}
