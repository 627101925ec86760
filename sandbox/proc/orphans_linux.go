package proc

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// AdoptOrphans makes the sidecar a subreaper: should a runner die, what it kept
// falls to us and not to init.
func AdoptOrphans() error { return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }

// KillOrphans ends what a lost runner left: our children that carry the
// sandbox's seccomp filter, which runners and other children of the sidecar
// don't.
func KillOrphans() { KillChildren(2*time.Second, filtered) }

// KillChildren ends and reaps our children of which which is true. Two empty rounds mean
// that nothing is on its way any more.
func KillChildren(most time.Duration, which func(pid int) bool) {
	deadline := time.Now().Add(most)
	for quiet := 0; quiet < 2 && time.Now().Before(deadline); time.Sleep(2 * time.Millisecond) {
		quiet++
		for _, pid := range Children(os.Getpid()) {
			if !which(pid) {
				continue
			}
			quiet = 0
			_ = unix.Kill(pid, unix.SIGKILL)
			_, _ = unix.Wait4(pid, nil, unix.WNOHANG, nil)
		}
	}
}

func filtered(pid int) bool {
	status := text(pid, "status")
	return Field(status, "NoNewPrivs:") == "1" && Field(status, "Seccomp:") == "2"
}
