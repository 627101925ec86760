package sandbox

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// The keeper tells of a runner and the runner tells of itself: on a busy machine the
// runner may be first, and what the keeper said was then taken for the command's end.
func TestARunnerMayBeReadyBeforeItIsToldOf(t *testing.T) {
	for name, order := range map[string][]byte{"told of first": {msgBorn, msgReady}, "ready first": {msgReady, msgBorn}} {
		ours, theirs, err := socketpair()
		if err != nil {
			t.Fatal(err)
		}
		conn, err := adoptSocket(uintptr(ours))
		if err != nil {
			t.Fatal(err)
		}
		pidfd, err := unix.PidfdOpen(os.Getpid(), 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, kind := range order {
			if kind == msgBorn {
				err = writeFrame(fdLink(theirs), kind, nil, pidfd)
			} else {
				err = writeFrame(fdLink(theirs), kind, new(payload).putInt(1).b)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		r := &runnerProc{conn: connLink{conn}, pidfd: -1}
		if err := r.awaitReady("", Limits{}); err != nil || !r.held || r.host != os.Getpid() {
			t.Errorf("%s: %v, held %v, process %d", name, err, r.held, r.host)
		}
		for _, fd := range []int{pidfd, r.pidfd, theirs} {
			_ = unix.Close(fd)
		}
		_ = conn.Close()
	}
}
