package sandbox

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/pillion-sidecar/pillion/sandbox/canary"
)

// The canary's attempts, one by one, in the sandbox; and the same ones in mode
// off, where each that does not need root must get through: a test whose attack
// would fail anyway proves nothing.
func TestAttemptsAreRefusedAndWouldOtherwiseSucceed(t *testing.T) {
	everyUser(t, func(t *testing.T) {
		b := newBench(t)
		lure, open, err := canary.Lay(b.out)
		for _, c := range open {
			defer c.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		lure.Inside = b.ws
		b.policy.Readable = append(b.policy.Readable, filepath.Dir(lure.File))
		for _, name := range canary.Attempts() {
			if name == "inside" || name == "daemon" {
				continue // not refusals; see the workspace and tree tests
			}
			if e := b.attempt(name, lure); !canary.Refused(b.m.whole.found.rung, name, e) {
				t.Errorf("%s in the sandbox: errno %d (%v)", name, int(e), e)
			}
		}
		b.policy.Mode = Off
		for _, name := range []string{
			"write", "read", "truncate", "rename", "chmod", "utime", "environ", "tcp", "udp", "abstract", "unixPath", "shm", "signal", "prlimit",
		} {
			if name == "rename" {
				defer os.Rename(lure.File+"2", lure.File)
			}
			e := b.attempt(name, lure)
			if name == "rename" {
				_ = os.Rename(lure.File+"2", lure.File)
			}
			if e != 0 {
				t.Errorf("%s in mode off: errno %d (%v): the attempt proves nothing", name, int(e), e)
			}
		}
	})
}

func (b *bench) attempt(name string, l canary.Bait) syscall.Errno {
	b.t.Helper()
	o := b.helper(append([]string{"helper-attempt", name}, l.Args()...)...)
	n := 0
	for _, c := range strings.TrimSpace(o.out) {
		n = 10*n + int(c-'0')
	}
	return syscall.Errno(n)
}
