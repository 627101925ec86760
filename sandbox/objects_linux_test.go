package sandbox

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/limits"
	"github.com/pillion-sidecar/pillion/test/needs"
)

// Kernel objects are the user's in common: what a command takes of them, an editor
// can't have.
func TestKernelObjectsAreLeftForOthers(t *testing.T) {
	needs.Program(t, "python3")
	onRungs(t, Limits{}, func(b *bench) {
		t := b.t
		o := b.run("/usr/bin/python3", "-c", `
import ctypes, os
c = ctypes.CDLL(None, use_errno=True)
n = 0
while n < 100000 and c.inotify_init() >= 0: n += 1
timers, id = 0, ctypes.c_void_p()
while timers < 100000 and c.timer_create(0, None, ctypes.byref(id)) == 0: timers += 1
print(n, timers, c.syscall(`+strconv.Itoa(unix.SYS_IO_SETUP)+`, 100, ctypes.byref(ctypes.c_ulong(0))), ctypes.get_errno())
`)
		f := strings.Fields(o.out)
		if len(f) != 4 {
			t.Fatalf("%+v", o)
		}
		text, err := os.ReadFile("/proc/sys/fs/inotify/max_user_instances")
		if err != nil {
			t.Fatal(err)
		}
		all, _ := strconv.Atoi(strings.TrimSpace(string(text)))
		if n, _ := strconv.Atoi(f[0]); b.box.box.conf.Namespaced() && n > all/2 {
			t.Errorf("%d inotify instances of %d", n, all)
		}
		if n, _ := strconv.Atoi(f[1]); n > limits.MaxPending {
			t.Errorf("%d timers", n)
		}
		if f[2] != "-1" || f[3] != strconv.Itoa(int(unix.ENOSYS)) {
			t.Errorf("io_setup: %s, %s", f[2], f[3])
		}
	})
}
