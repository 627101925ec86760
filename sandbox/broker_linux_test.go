package sandbox

import (
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/test/long"
)

// raceHelper changes the path under the broker's eyes: one thread flips the
// string in memory, and the link it names, between a file inside and one
// outside, while another calls chmod. It runs in the sandbox.
func raceHelper(inside, outside string) int {
	var stop atomic.Bool
	done := make(chan struct{})
	link := "swap"
	buf := make([]byte, len(outside)+1)
	copy(buf, outside)
	go func() {
		defer close(done)
		for !stop.Load() {
			copy(buf, inside+"\x00")
			_ = os.Remove(link)
			_ = os.Symlink(inside, link)
			copy(buf, outside)
			_ = os.Remove(link)
			_ = os.Symlink(outside, link)
		}
	}()
	name := append([]byte(link), 0)
	for range 3000 {
		for _, p := range [][]byte{buf, name} {
			unix.Syscall6(unix.SYS_FCHMODAT, uintptr(0xffffffffffffff9c), uintptr(unsafe.Pointer(&p[0])), 0o777, 0, 0, 0)
			unix.Syscall6(unix.SYS_UTIMENSAT, uintptr(0xffffffffffffff9c), uintptr(unsafe.Pointer(&p[0])), 0, 0, 0, 0)
		}
	}
	stop.Store(true)
	<-done
	return 0
}

func TestSwappingThePathUnderTheBrokerChangesNothingOutside(t *testing.T) {
	t.Parallel()
	long.Test(t)
	b := newBench(t)
	inside, outside := filepath.Join(b.ws, "in"), filepath.Join(b.out, "keep")
	for _, f := range []string{inside, outside} {
		if err := os.WriteFile(f, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	before := snapshot(t, b.out)
	if o := b.helper("helper-race", inside, outside); o.status.Code != 0 {
		t.Fatalf("%+v", o)
	}
	if after := snapshot(t, b.out); after != before {
		t.Errorf("outside changed from %q to %q", before, after)
	}
	st, err := os.Stat(inside)
	if err != nil || st.Mode().Perm() != 0o777 {
		t.Errorf("the inside file was never changed (%v, %v): the race was not run", st.Mode(), err)
	}
}

// The broker resolves for the caller, not for itself.
func TestBrokerUsesTheCallersView(t *testing.T) {
	b := newBench(t)
	for name, script := range map[string]string{
		"cwd":            "mkdir -p d && cd d && touch f && chmod 640 f && test $(stat -c %a f) = 640",
		"open directory": "mkdir -p e && touch e/f && exec 3< e && cd / && chmod 640 /proc/self/fd/3/f && test $(stat -c %a /proc/self/fd/3/f) = 640",
		"private home":   "touch $HOME/f && chmod 640 $HOME/f && test $(stat -c %a $HOME/f) = 640",
		"through a link": "touch g && ln -sf g lg && chmod 640 lg && test $(stat -c %a g) = 640",
		"dangling link":  "ln -sf nothing dangling && ! chmod 640 dangling",
		"no such file":   "! chmod 640 missing 2> err && grep -q 'No such file' err",
		"up and down":    "touch h && chmod 640 ../ws/h && test $(stat -c %a h) = 640",
	} {
		if o := b.sh(script); o.status.Code != 0 {
			t.Errorf("%s: code %d: %s", name, o.status.Code, o.out)
		}
	}
}

func TestReadOnlyModeRefusesMetadataToo(t *testing.T) {
	b := newBench(t)
	b.policy.Mode = ReadOnly
	f := filepath.Join(b.ws, "f")
	if err := os.WriteFile(f, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	before := snapshot(t, b.ws)
	for _, script := range []string{"chmod 777 f", "touch f", "chown $(id -u) f", "touch -d 2001-01-01 f"} {
		if o := b.sh(script); o.status.Code == 0 {
			t.Errorf("%q worked in read-only mode", script)
		}
	}
	if after := snapshot(t, b.ws); after != before {
		t.Errorf("workspace changed from %q to %q", before, after)
	}
}
