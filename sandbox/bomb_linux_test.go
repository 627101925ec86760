package sandbox

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/test/long"
	"github.com/pillion-sidecar/pillion/test/needs"
)

// bombs fork without end, each in its way: small processes, large ones, sessions of
// their own. What they are told by is in their command line.
var bombs = map[string][]string{
	"python": {"/usr/bin/python3", "-c", "import os; n=97004\nwhile True:\n try: os.fork()\n except OSError: pass"},
	"session": {"/usr/bin/python3", "-c", `import os, time; n=97004
while True:
 try:
  if os.fork() == 0: os.setsid()
 except OSError: time.sleep(.01)`},
	"bash": {"/bin/bash", "-c", "f() { f 97004 | f & }; f; sleep 60"},
}

// A fork bomb at the limits that everybody has ends when it is told to, and by itself.
func TestABombEndsWhenItIsToldTo(t *testing.T) {
	long.Test(t)
	needs.Program(t, "python3")
	onRungs(t, DefaultLimits(), func(b *bench) {
		for name, argv := range bombs {
			if !needs.Everything() && name != "python" {
				continue
			}
			before := len(names("/proc"))
			p, r := b.start(argv...)
			eventually(b.t, name+" grows", func() bool { return len(names("/proc")) > before+200 })
			began := time.Now()
			_ = p.Signal(unix.SIGKILL)
			_, _ = p.Wait()
			if _, err := p.End(false); err != nil {
				b.t.Error(name, err)
			}
			left := alive("97004")
			if took := time.Since(began); len(left) > 0 || took > 20*time.Second {
				b.t.Errorf("%s: after %v %d are alive", name, took, len(left))
			}
			_ = r.Close()
		}
		began := time.Now()
		if o := b.run(bombs["python"]...); o.limit != LimitProcesses {
			b.t.Errorf("%+v", o.status)
		}
		b.t.Logf("ended by itself after %v", time.Since(began))
		if left := alive("97004"); len(left) > 0 {
			b.t.Errorf("%d are alive", len(left))
		}
	})
}
