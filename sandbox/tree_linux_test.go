package sandbox

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/proc"
)

// A tree that grows while it is killed: the kill must be one step, not a walk
// that the next fork outruns. The depth bounds it should the kill ever fail.
func TestForkStormIsEnded(t *testing.T) {
	b := newBench(t)
	p, r := b.start("/bin/sh", "-c", `f() { test $1 -gt 0 && { f $(($1 - 1)) & f $(($1 - 1)) & sleep 1; : 98712; }; }; f 9; sleep 20`)
	defer r.Close()
	time.Sleep(50 * time.Millisecond)
	if err := p.Kill(); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Wait(); err != nil {
		t.Fatal(err)
	}
	if _, err := p.End(false); err != nil {
		t.Fatal(err)
	}
	if left := alive("98712"); len(left) > 0 {
		t.Errorf("%d alive", len(left))
	}
}

// Two commands of one policy are still two domains: ending one leaves the other.
func TestEndingOneCommandLeavesTheOthers(t *testing.T) {
	b := newBench(t)
	p, r := b.start("/bin/sh", "-c", "sleep 98715; echo done")
	defer r.Close()
	for range 3 {
		if o := b.sh("sleep 98716 & setsid sleep 98716 & sleep 0.05"); len(o.left) != 2 {
			t.Errorf("left %v", o.left)
		}
	}
	if len(alive("sleep\x0098715")) != 1 || len(alive("98716")) != 0 {
		t.Errorf("alive: ours %v, theirs %v", alive("sleep\x0098715"), alive("98716"))
	}
	_ = p.Kill()
	_, _ = p.Wait()
	_, _ = p.End(false)
}

func TestModeOffOwnsItsTreeToo(t *testing.T) {
	b := newBench(t)
	b.policy.Mode = Off
	o := b.sh("sleep 98717 & (setsid sh -c 'sleep 98717 & sleep 98717' &); " + up(3, "sleep 98717"))
	if len(o.left) < 3 || len(alive("98717")) != 0 {
		t.Errorf("left %v, alive %v", o.left, alive("98717"))
	}
}

func TestALostRunnerIsReportedAndItsTreeEnded(t *testing.T) {
	b := newBench(t)
	p, r := b.start("/bin/sh", "-c", "(setsid sleep 98713 &); sleep 98713")
	defer r.Close()
	for len(alive("98713")) < 2 {
		time.Sleep(time.Millisecond)
	}
	if err := unix.Kill(proc.PIDOf(p.runner.pidfd), unix.SIGKILL); err != nil { // as the kernel's memory killer would
		t.Fatal(err)
	}
	if _, err := p.Wait(); !errors.Is(err, errRunnerLost) {
		t.Errorf("wait: %v", err)
	}
	if _, err := p.End(false); !errors.Is(err, errRunnerLost) {
		t.Errorf("end: %v", err)
	}
	if left := alive("98713"); len(left) > 0 {
		t.Errorf("alive: %v", left)
	}
	if o := b.sh("echo next"); o.out != "next\n" {
		t.Errorf("the next command: %+v", o)
	}
}

func TestASweepRemovesWhatNobodyHolds(t *testing.T) {
	state := t.TempDir()
	stale := filepath.Join(state, "sandboxes", "123")
	must(t, os.MkdirAll(filepath.Join(stale, "home"), 0o700))
	must(t, os.Mkdir(filepath.Join(stale, "home", "ro"), 0o500))
	m, err := Open(Options{StateDir: state})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if _, err := os.Stat(stale); err == nil {
		t.Error("a stale directory is still there")
	}
	if _, err := m.Sandbox(Policy{Mode: ReadOnly, Network: NetworkDeny, Reads: ReadsPrivate}); err != nil {
		t.Fatal(err)
	}
	other, err := Open(Options{StateDir: state}) // a second sidecar of the same user
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if entries(filepath.Join(state, "sandboxes")) == 0 {
		t.Error("the sweep removed a directory in use")
	}
}

func alive(mark string) []string {
	var found []string
	// Not as a part of a longer number: the names of temporary directories have such.
	marked := regexp.MustCompile(`(^|\D)` + regexp.QuoteMeta(mark) + `(\D|$)`)
	dirs, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, d := range dirs {
		if b, err := os.ReadFile(d); err == nil && marked.Match(b) {
			found = append(found, d)
		}
	}
	return found
}

func entries(dir string) int {
	e, _ := os.ReadDir(dir)
	return len(e)
}
