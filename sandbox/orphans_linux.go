package sandbox

import (
	"fmt"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// adoptOrphans makes the sidecar a subreaper: should a runner die, what it kept
// falls to us and not to init.
func adoptOrphans() error { return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }

// killOrphans ends what a lost runner left: our children that carry the
// sandbox's seccomp filter, which runners and other children of the sidecar
// don't. Two empty rounds mean that nothing is on its way any more.
func killOrphans() {
	deadline := time.Now().Add(2 * time.Second)
	for quiet := 0; quiet < 2 && time.Now().Before(deadline); time.Sleep(2 * time.Millisecond) {
		quiet++
		for _, pid := range children(os.Getpid()) {
			if !confined(pid) {
				continue
			}
			quiet = 0
			_ = unix.Kill(pid, unix.SIGKILL)
			_, _ = unix.Wait4(pid, nil, unix.WNOHANG, nil)
		}
	}
}

func confined(pid int) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	return err == nil && strings.Contains(string(b), "NoNewPrivs:\t1") && strings.Contains(string(b), "Seccomp:\t2")
}
