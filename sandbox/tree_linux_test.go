package sandbox

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestDaemonsEndWithTheirCommand(t *testing.T) {
	everyUser(t, func(t *testing.T) {
		b := newBench(t)
		o := b.helper("helper-daemonize", "twice")
		pid := readPid(t, filepath.Join(b.ws, "daemon.pid"))
		if o.status.Code != 0 || len(o.left) != 1 || o.left[0].PID != pid {
			t.Errorf("outcome %+v, daemon %d", o, pid)
		}
		if err := unix.Kill(pid, 0); !errors.Is(err, unix.ESRCH) {
			t.Errorf("daemon %d: %v", pid, err)
		}
	})
}

func TestAHundredDaemonsLeaveNothing(t *testing.T) {
	b := newBench(t)
	o := b.sh("for i in $(seq 50); do sleep 98711 & (setsid sh -c 'sleep 98711 & sleep 98711' &); done")
	if len(o.left) < 100 {
		t.Errorf("%d left, want at least 100", len(o.left))
	}
	if alive := alive("98711"); len(alive) > 0 {
		t.Errorf("alive: %v", alive)
	}
}

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
	o := b.sh("sleep 98717 & (setsid sh -c 'sleep 98717 & sleep 98717' &); sleep 0.1")
	if len(o.left) < 3 || len(alive("98717")) != 0 {
		t.Errorf("left %v, alive %v", o.left, alive("98717"))
	}
}

func TestStatusIsExact(t *testing.T) {
	b := newBench(t)
	for script, want := range map[string]ExitStatus{
		"exit 42":         {Code: 42},
		"kill -SEGV $$":   {Code: -1, Signal: syscall.SIGSEGV},
		"kill -9 $$":      {Code: -1, Signal: syscall.SIGKILL},
		"exit 137":        {Code: 137},
		"kill -RTMIN $$":  {Code: -1, Signal: 34},
		"ulimit -c; true": {Code: 0},
	} {
		o := b.sh(script)
		if o.status.Code != want.Code || o.status.Signal != want.Signal || o.status.CoreDump {
			t.Errorf("%q: %+v", script, o.status)
		}
	}
}

func TestALostRunnerIsReportedAndItsTreeEnded(t *testing.T) {
	b := newBench(t)
	p, r := b.start("/bin/sh", "-c", "(setsid sleep 98713 &); sleep 98713")
	defer r.Close()
	for len(alive("98713")) < 2 {
		time.Sleep(time.Millisecond)
	}
	if err := unix.Kill(pidOf(p.runner.pidfd), unix.SIGKILL); err != nil { // as the kernel's memory killer would
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

// The sidecar dies in the hardest way while a double-forked daemon runs.
func TestKilledSidecarLeavesNoProcessAndNoDirectory(t *testing.T) {
	dir := t.TempDir()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, "helper-sidecar", dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	for len(alive("98714")) < 2 {
		time.Sleep(time.Millisecond)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	deadline := time.Now().Add(time.Second)
	for len(alive("98714")) > 0 || entries(filepath.Join(dir, "sandboxes")) > 0 {
		if time.Now().After(deadline) {
			t.Fatalf("after 1 s: alive %v, %d directories", alive("98714"), entries(filepath.Join(dir, "sandboxes")))
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// sidecarHelper is a sidecar with one command that daemonizes, for the test that
// kills it.
func sidecarHelper(dir string) int {
	m, err := Open(Options{StateDir: dir})
	if err != nil {
		return 2
	}
	s, err := m.Sandbox(Policy{Mode: WorkspaceWrite, Network: NetworkDeny, Reads: ReadsPrivate})
	if err != nil {
		return 2
	}
	null := func() *os.File { f, _ := os.OpenFile(os.DevNull, os.O_RDWR, 0); return f }
	d, err := os.Open("/usr")
	if err != nil {
		return 2
	}
	p, err := s.Start(context.Background(), Command{
		Path: "/bin/sh", Argv: []string{"sh", "-c", "(setsid sh -c 'sleep 98714 & sleep 98714' &); mkdir -p $HOME/a; chmod 0 $HOME/a; sleep 98714"},
		Env: []string{"PATH=/usr/bin:/bin", "HOME=" + s.Home()}, Dir: d, Stdin: null(), Stdout: null(), Stderr: null(),
	})
	if err != nil {
		return 2
	}
	_, _ = os.Stdout.WriteString("x")
	_, _ = p.Wait()
	return 0
}

func TestASweepRemovesWhatNobodyHolds(t *testing.T) {
	state := t.TempDir()
	stale := filepath.Join(state, "sandboxes", "123")
	if err := os.MkdirAll(filepath.Join(stale, "home", "ro"), 0o500); err != nil {
		t.Fatal(err)
	}
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

func readPid(t *testing.T, path string) int {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(string(b))
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

func alive(mark string) []string {
	var found []string
	dirs, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, d := range dirs {
		if b, err := os.ReadFile(d); err == nil && strings.Contains(string(b), mark) {
			found = append(found, d)
		}
	}
	return found
}

func entries(dir string) int {
	e, _ := os.ReadDir(dir)
	return len(e)
}
