package sandbox

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/limits"
	"github.com/pillion-sidecar/pillion/test/long"
	"github.com/pillion-sidecar/pillion/test/needs"
)

// bombs fork without end, each in its way: small processes, large ones, sessions of their
// own. Their command line identifies them.
var bombs = map[string][]string{
	"python": {"/usr/bin/python3", "-c", "import os; n=97004\nwhile True:\n try: os.fork()\n except OSError: pass"},
	"session": {"/usr/bin/python3", "-c", `import os, time; n=97004
while True:
 try:
  if os.fork() == 0: os.setsid()
 except OSError: time.sleep(.01)`},
	"bash": {"/bin/bash", "-c", "f() { f 97004 | f & }; f; sleep 60"},
}

// A fork bomb at the limits that everybody has ends on request, and by itself.
func TestABombEndsWhenItIsToldTo(t *testing.T) {
	long.Test(t)
	needs.Program(t, "python3")
	defer boundTasks(3000)()
	onRungs(t, DefaultLimits(), func(b *bench) {
		for name, argv := range bombs {
			if !needs.Everything() && name != "python" {
				continue
			}
			before := len(limits.Names("/proc"))
			p, r := b.start(argv...)
			eventually(b.t, name+" grows", func() bool { return len(limits.Names("/proc")) > before+200 })
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

// boundTasks keeps this process, and what it starts, below a number of tasks more than
// there are: if a bomb goes on, the machine does not stall for it. The kernel bounds root
// by a group only. setrlimit(2), cgroups(7), the pids controller
func boundTasks(most uint64) (release func()) {
	var had unix.Rlimit
	var machine unix.Sysinfo_t
	if unix.Sysinfo(&machine) != nil || unix.Getrlimit(unix.RLIMIT_NPROC, &had) != nil {
		return func() {}
	}
	_ = unix.Setrlimit(unix.RLIMIT_NPROC, &unix.Rlimit{Cur: min(most+uint64(machine.Procs), had.Cur), Max: had.Max})
	back := func() { _ = unix.Setrlimit(unix.RLIMIT_NPROC, &had) }
	const root = "/sys/fs/cgroup/pids"
	group := filepath.Join(root, "pillion-test-"+strconv.Itoa(os.Getpid()))
	about, _ := os.ReadFile("/proc/self/cgroup") // there is nothing to do without
	now := regexp.MustCompile(`:pids:(.*)`).FindSubmatch(about)
	if now == nil || os.Mkdir(group, 0o755) != nil {
		return back
	}
	enter := func(dir string) { _ = os.WriteFile(dir+"/cgroup.procs", []byte(strconv.Itoa(os.Getpid())), 0o600) }
	if os.WriteFile(group+"/pids.max", []byte(strconv.FormatUint(most, 10)), 0o600) == nil {
		enter(group)
	}
	return func() {
		back()
		enter(root + string(now[1]))
		_ = os.Remove(group) // or it stays, with the processes left in it
	}
}
