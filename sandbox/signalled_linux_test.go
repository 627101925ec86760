package sandbox

import (
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/proc"
	"github.com/pillion-sidecar/pillion/test/long"
)

// A signal that arrived while the broker handed a descriptor over once made the
// caller's open return 0, its standard input.
func TestSignalsToTheBrokerSpoilNoDescriptor(t *testing.T) {
	t.Parallel()
	long.Test(t)
	b := newBench(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p, r := b.start(self, "helper-create")
	defer r.Close()
	runner, over := proc.PIDOf(p.runner.pidfd), make(chan struct{})
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-over:
				return
			default:
				_ = unix.Kill(runner, unix.SIGURG) // what Go's scheduler sends itself all the time
			}
		}
	}()
	st, err := p.Wait()
	close(over)
	<-stopped
	if err != nil || st.Code != 0 {
		t.Errorf("%+v, %v", st, err)
	}
	if _, err := p.End(false); err != nil {
		t.Error(err)
	}
}

// createHelper makes a file again and again; each descriptor must be a new one.
func createHelper() int {
	for i := range 3_000 {
		f, err := os.OpenFile("f"+strings.Repeat("x", i%7), os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
		if err != nil || f.Fd() < 3 {
			println("open", i, f != nil && f.Fd() < 3)
			return 1
		}
		if _, err := f.WriteString("x"); err != nil || f.Close() != nil {
			return 1
		}
	}
	return 0
}
