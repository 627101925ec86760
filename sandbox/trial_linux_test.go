package sandbox

import (
	"errors"
	"fmt"
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/test/long"
	"github.com/pillion-sidecar/pillion/test/needs"
)

// withFiles runs f while this process may open no file whose descriptor is most or
// above; those that are open stay.
func withFiles(t *testing.T, most uint64, f func()) {
	t.Helper()
	var limit unix.Rlimit
	must(t, unix.Getrlimit(unix.RLIMIT_NOFILE, &limit))
	few := unix.Rlimit{Cur: most, Max: limit.Max}
	must(t, unix.Setrlimit(unix.RLIMIT_NOFILE, &few))
	defer func() { must(t, unix.Setrlimit(unix.RLIMIT_NOFILE, &limit)) }()
	f()
}

// A machine that gives namespaces was taken for one without, for the whole session,
// by a sidecar that had no descriptors left when it looked; a rung below might have
// had enough of them, and would have been remembered.
func TestASelfTestWithoutDescriptorsDecidesNothing(t *testing.T) {
	long.Test(t)
	everyUser(t, func(t *testing.T) {
		b := newBench(t)
		full := b.m.Tested().Rung
		b.m.whole.wait()
		kept := b.boxes()
		step := uint64(1)
		if !needs.Everything() {
			step = 4
		}
		for most := uint64(3); most < 60; most += step {
			o := Options{StateDir: b.m.opts.StateDir, Program: "-few"}
			_ = os.Remove(lastTestPath(o))
			m := newManager(o)
			var err error
			withFiles(t, most, func() { _, err = m.Assess(b.policy) })
			if r, known := loadLast(o); known && r.report.Rung != full {
				t.Errorf("%d descriptors: %s is remembered", most, r.report.Rung)
			}
			if setup := new(SetupError); err != nil && (!errors.As(err, &setup) || !Exhausted(err)) {
				t.Errorf("%d descriptors: %v", most, err)
			}
			if _, err := m.Assess(b.policy); err != nil || m.Tested().Rung != full {
				t.Errorf("after %d descriptors: %v, %+v", most, err, m.Tested())
			}
			m.Close()
			eventually(t, fmt.Sprintf("nothing is left of %d descriptors", most), func() bool { return b.boxes() == kept })
		}
	})
}
