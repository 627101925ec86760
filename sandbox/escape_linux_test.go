package sandbox

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// The canary's attempts, one by one, in the sandbox; and the same ones in mode
// off, where each that does not need root must get through: a test whose attack
// would fail anyway proves nothing.
func TestAttemptsAreRefusedAndWouldOtherwiseSucceed(t *testing.T) {
	everyUser(t, func(t *testing.T) {
		b := newBench(t)
		lure, open, err := layBait(b.out)
		for _, c := range open {
			defer c.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		lure.inside = b.ws
		b.policy.Readable = append(b.policy.Readable, filepath.Dir(lure.file))
		for _, a := range attempts {
			if a.name == "inside" || a.name == "daemon" {
				continue // not refusals; see the workspace and tree tests
			}
			if e := b.attempt(a.name, lure); !refused(b.m.whole.survey.rung, a.name, e) {
				t.Errorf("%s in the sandbox: errno %d (%v)", a.name, int(e), e)
			}
		}
		b.policy.Mode = Off
		for _, name := range []string{
			"write", "read", "truncate", "rename", "chmod", "utime", "environ", "tcp", "udp", "abstract", "unixPath", "shm", "signal", "prlimit",
		} {
			if name == "rename" {
				defer os.Rename(lure.file+"2", lure.file)
			}
			e := b.attempt(name, lure)
			if name == "rename" {
				_ = os.Rename(lure.file+"2", lure.file)
			}
			if e != 0 {
				t.Errorf("%s in mode off: errno %d (%v): the attempt proves nothing", name, int(e), e)
			}
		}
	})
}

func (b *bench) attempt(name string, l bait) syscall.Errno {
	b.t.Helper()
	o := b.helper("helper-attempt", name, l.file, l.inside, l.abstract, l.path, strconv.Itoa(l.pid), strconv.Itoa(l.tcp), strconv.Itoa(l.udp), l.secret, strconv.Itoa(l.shm))
	n := 0
	for _, c := range strings.TrimSpace(o.out) {
		n = 10*n + int(c-'0')
	}
	return syscall.Errno(n)
}
