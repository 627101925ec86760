package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/proc"
	"github.com/pillion-sidecar/pillion/sandbox/wire"
)

// leave runs a script in a named sandbox and lets what it starts stay.
func (b *bench) leave(name, script string) []Leftover {
	b.t.Helper()
	b.policy.Name = name
	p, r := b.start("/bin/sh", "-c", script)
	defer r.Close()
	if st, err := p.Wait(); err != nil || st.Code != 0 {
		b.t.Fatalf("%q: %+v, %v", script, st, err)
	}
	left, err := p.End(true)
	if err != nil {
		b.t.Fatal(err)
	}
	return left
}

// eventually waits for what happens on another process's time.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !ok(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within a minute: %s", what)
		}
	}
}

func (b *bench) list(name string) []Left {
	for _, i := range b.m.List() {
		if i.Name == name {
			return i.Processes
		}
	}
	return nil
}

// up is shell text that waits until n processes are this very command, and no shell
// on its way to it.
func up(n int, command string) string {
	const lines = `for d in /proc/[0-9]*; do tr '\0' ' ' < $d/cmdline; echo; done 2>/dev/null`
	return fmt.Sprintf("until [ $(%s | grep -cx '%s ') = %d ]; do :; done", lines, command, n)
}

// hostPIDs are the processes whose command line holds mark.
func hostPIDs(mark string) []int {
	var pids []int
	for _, d := range alive(mark) {
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(d)))
		pids = append(pids, pid)
	}
	return pids
}

func TestLeftProcessesStayAndAreListed(t *testing.T) {
	everyUser(t, func(t *testing.T) {
		b := newBench(t)
		left := b.leave("dev", "sleep 98801 >/dev/null 2>&1 & (setsid sleep 98801 >/dev/null 2>&1 &); "+up(2, "sleep 98801"))
		if len(left) != 2 || !left[0].Left || !left[1].Left {
			t.Fatalf("left %+v", left)
		}
		host := hostPIDs("sleep\x0098801")
		for _, l := range left {
			if l.Name != "sleep" || !slices.Contains(host, l.PID) {
				t.Errorf("%+v; on the host they are %v", l, host)
			}
		}
		listed := b.list("dev")
		for _, l := range listed {
			if l.Command != "sleep 98801" || l.Exec != "test" || !slices.Contains(host, l.PID) {
				t.Errorf("listed %+v", l)
			}
		}
		if len(listed) != 2 || len(host) != 2 {
			t.Errorf("listed %+v, alive %v", listed, host)
		}
		if o := b.sh("echo next"); o.out != "next\n" || len(o.left) != 0 {
			t.Errorf("the next command: %+v", o)
		}
		if killed, err := b.m.Reset("dev", false); err != nil || killed != 2 {
			t.Errorf("reset: %d, %v", killed, err)
		}
		if len(alive("98801")) != 0 || b.list("dev") != nil {
			t.Errorf("after reset: alive %v, listed %v", alive("98801"), b.list("dev"))
		}
	})
}

// A left process answers later commands of its sandbox, and only of that one.
func TestOneNameSharesFilesAndServersTwoNamesShareNothing(t *testing.T) {
	everyUser(t, func(t *testing.T) {
		b := newBench(t)
		b.leave("one", `echo kept > $TMPDIR/f; echo kept > $HOME/f; mkfifo $TMPDIR/ask $TMPDIR/answer
(while read q; do echo "98802 $q" > $TMPDIR/answer; done < $TMPDIR/ask) <> $TMPDIR/ask >/dev/null 2>&1 &`)
		if o := b.sh("cat $TMPDIR/f $HOME/f; echo hello > $TMPDIR/ask; cat $TMPDIR/answer"); o.out != "kept\nkept\n98802 hello\n" {
			t.Errorf("the same name: %+v", o)
		}
		b.policy.Name = "two"
		if o := b.sh("ls -A $TMPDIR $HOME | grep -c kept; find $TMPDIR $HOME -name f -o -name ask"); o.out != "0\n" {
			t.Errorf("another name sees %q", o.out)
		}
	})
}

func TestARunnerIsFreeAgainWhenWhatWasLeftHasEnded(t *testing.T) {
	b := newBench(t)
	stop := filepath.Join(b.ws, "stop")
	b.leave("dev", "(while [ ! -e stop ]; do sleep 0.02; done) >/dev/null 2>&1 & (setsid sh -c '(while [ ! -e stop ]; do sleep 0.02; done; sleep 0.2) &' >/dev/null 2>&1 &)")
	s, err := b.m.Sandbox(b.policy)
	if err != nil {
		t.Fatal(err)
	}
	state := func() (idle, left int) {
		s.box.mu.Lock()
		defer s.box.mu.Unlock()
		return len(s.box.idle), len(s.box.left)
	}
	if _, left := state(); left != 1 || b.list("dev") == nil {
		t.Fatalf("%d trees are left, listed %v", left, b.list("dev"))
	}
	idle, _ := state()
	if err := os.WriteFile(stop, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the runner is back", func() bool { i, left := state(); return left == 0 && i == idle+1 })
	for range 3 {
		if o := b.sh("echo again"); o.out != "again\n" {
			t.Errorf("%+v", o)
		}
	}
}

// The output pipe's reader is gone; a left process that writes gets that error, as one
// whose terminal was closed does.
func TestALeftProcessThatWritesGetsSIGPIPE(t *testing.T) {
	b := newBench(t)
	b.leave("dev", "(until [ -e go ]; do sleep 0.02; done; echo 98803; touch survived) & :")
	if err := os.WriteFile(filepath.Join(b.ws, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it has ended", func() bool { return b.list("dev") == nil })
	if _, err := os.Stat(filepath.Join(b.ws, "survived")); err == nil {
		t.Error("it could write to nobody")
	}
}

func TestNothingLeftIsNothingParked(t *testing.T) {
	b := newBench(t)
	if left := b.leave("dev", "true"); left != nil || b.list("dev") != nil {
		t.Errorf("left %v, listed %v", left, b.list("dev"))
	}
}

// A parked runner must collect what ends below it, or a server that forks would
// fill the process table of its sandbox.
func TestAParkedRunnerCollectsOrphans(t *testing.T) {
	b := newBench(t)
	b.leave("dev", "(for i in 1 2 3 4 5 6 7 8; do (sleep 0.05 &); done; exec sleep 98804) >/dev/null 2>&1 &")
	eventually(t, "no zombies", func() bool {
		s, err := b.m.Sandbox(b.policy)
		if err != nil {
			t.Fatal(err)
		}
		trees := s.box.trees()
		return len(trees) == 1 && len(proc.Tree(trees[0].runner.host)) == 1
	})
}

func TestResetIsRefusedWhileACommandRuns(t *testing.T) {
	b := newBench(t)
	b.policy.Name = "dev"
	p, r := b.start("/bin/sh", "-c", "sleep 98805")
	defer r.Close()
	var busy *InUseError
	if _, err := b.m.Reset("dev", false); !errors.As(err, &busy) || busy.Name != "dev" {
		t.Errorf("reset: %v", err)
	}
	eventually(t, "the command goes on", func() bool { return len(alive("sleep\x0098805")) == 1 })
	done := make(chan error, 1)
	go func() { _, err := b.m.Reset("dev", true); done <- err }()
	if st, err := p.Wait(); err != nil || st.Signal != unix.SIGKILL {
		t.Errorf("forced: %+v, %v", st, err)
	}
	if _, err := p.End(true); err != nil { // nothing may stay in a sandbox that ends
		t.Error(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestWhatAForcedResetFindsEndingIsNotParked(t *testing.T) {
	b := newBench(t)
	b.policy.Name = "dev"
	p, r := b.start("/bin/sh", "-c", "sleep 98806 >/dev/null 2>&1 & :")
	defer r.Close()
	if _, err := p.Wait(); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { _, err := b.m.Reset("dev", true); done <- err }()
	s := p.box
	eventually(t, "the box is closing", func() bool { s.mu.Lock(); defer s.mu.Unlock(); return s.closed })
	left, err := p.End(true)
	if err != nil || len(left) > 0 && left[0].Left {
		t.Errorf("%+v, %v", left, err)
	}
	if err := <-done; err != nil || len(alive("98806")) != 0 {
		t.Errorf("%v, alive %v", err, alive("98806"))
	}
}

// What was to stay may end between the answer to "leave it" and the "end it" of a
// sandbox that closes: the runner then says both that it is empty and the answer.
func TestWhatEndsByItselfWhileItIsEndedIsNoLostRunner(t *testing.T) {
	b := newBench(t)
	p, r := b.start("/bin/sh", "-c", "sleep 98810 >/dev/null 2>&1 & :")
	defer r.Close()
	if _, err := p.Wait(); err != nil {
		t.Fatal(err)
	}
	left, rest, err := p.ask(wire.MsgLeave)
	if err != nil || !rest || len(left) != 1 {
		t.Fatalf("%v, %v, %v", left, rest, err)
	}
	if err := unix.Kill(left[0].PID, unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the runner has collected it", func() bool { return len(proc.Tree(p.runner.host)) == 0 })
	if left, err := p.End(false); err != nil || len(left) != 0 {
		t.Errorf("%v, %v", left, err)
	}
}

func TestResetForgetsFilesOfEveryPolicyOfTheName(t *testing.T) {
	b := newBench(t)
	b.policy.Name = "dev"
	b.sh("echo old > $HOME/f; echo old > $TMPDIR/f")
	b.policy.Mode = ReadOnly
	b.sh("echo old > $HOME/f")
	b.policy.Name = "other"
	b.sh("echo kept > $HOME/f")
	if n := len(b.m.List()); n != 3 {
		t.Errorf("%d sandboxes", n)
	}
	if _, err := b.m.Reset("dev", false); err != nil {
		t.Fatal(err)
	}
	if o := b.sh("cat $HOME/f"); o.out != "kept\n" {
		t.Errorf("another sandbox: %+v", o)
	}
	b.policy.Name = "dev"
	for _, mode := range []Mode{ReadOnly, WorkspaceWrite} {
		b.policy.Mode = mode
		if o := b.sh("ls -A $HOME $TMPDIR | grep -c '^f$'"); o.out != "0\n" {
			t.Errorf("%s: still there: %q", mode, o.out)
		}
	}
	if killed, err := b.m.Reset("nobody", false); killed != 0 || err != nil {
		t.Errorf("a name nobody uses: %d, %v", killed, err)
	}
}

// What was got from the Manager before a reset says so, and starts nothing.
func TestASandboxThatWasResetIsClosed(t *testing.T) {
	b := newBench(t)
	b.policy.Name = "dev"
	s, err := b.m.Sandbox(b.policy)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.m.Reset("dev", false); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Start(t.Context(), Command{Path: "/bin/true", Argv: []string{"true"}}); !errors.Is(err, ErrClosed) {
		t.Errorf("start: %v", err)
	}
}

// A sandbox that is held is in use, also while no command runs in it.
func TestAHeldSandboxMakesNoRoom(t *testing.T) {
	b := newBench(t)
	b.policy.Name = "held"
	s, err := b.m.Sandbox(b.policy)
	if err != nil {
		t.Fatal(err)
	}
	release, err := s.Hold()
	if err != nil {
		t.Fatal(err)
	}
	var use *InUseError
	if _, err := b.m.Reset("held", false); !errors.As(err, &use) {
		t.Errorf("reset: %v", err)
	}
	for i := range maxSandboxes + 1 {
		b.policy.Name = fmt.Sprintf("n%d", i)
		if o := b.sh("true"); o.status.Code != 0 {
			t.Fatalf("%+v", o)
		}
	}
	b.box = s
	if o := b.sh("echo here"); o.out != "here\n" {
		t.Errorf("it was given away: %+v", o)
	}
	release()
	release() // once is enough
	if _, err := b.m.Reset("held", false); err != nil {
		t.Errorf("reset of one that was released: %v", err)
	}
	if _, err := s.Hold(); !errors.Is(err, ErrClosed) {
		t.Errorf("hold of a closed one: %v", err)
	}
}

// Sandboxes with left processes make no room for others; unused ones do, the one
// first that was used longest ago.
func TestAFullHouse(t *testing.T) {
	b := newBench(t)
	b.leave("keep", "sleep 98807 >/dev/null 2>&1 &")
	for i := range maxSandboxes + 2 {
		b.policy.Name = fmt.Sprintf("n%d", i)
		if o := b.sh("echo x > $HOME/f"); o.status.Code != 0 {
			t.Fatalf("%+v", o)
		}
	}
	var names []string
	for _, i := range b.m.List() {
		names = append(names, i.Name)
	}
	if len(names) != maxSandboxes || !slices.Contains(names, "keep") || slices.Contains(names, "n2") || !slices.Contains(names, "n3") {
		t.Errorf("%v", names)
	}
	for _, n := range names {
		if n != "keep" {
			b.leave(n, "sleep 98807 >/dev/null 2>&1 &")
		}
	}
	b.policy.Name = "more"
	var full *FullError
	if _, err := b.m.Sandbox(b.policy); !errors.As(err, &full) || full.Max != maxSandboxes || !strings.Contains(err.Error(), "16") {
		t.Errorf("one too many: %v", err)
	}
	if killed := b.m.EndLeft(); killed != maxSandboxes || len(alive("98807")) != 0 {
		t.Errorf("%d killed, alive %v", killed, alive("98807"))
	}
	if o := b.sh("echo room"); o.out != "room\n" {
		t.Errorf("%+v", o)
	}
}

func TestCloseEndsWhatWasLeft(t *testing.T) {
	b := newBench(t)
	b.leave("dev", "(trap '' TERM HUP; while :; do sleep 98808; done) >/dev/null 2>&1 &")
	b.m.Close()
	if left := alive("98808"); len(left) != 0 {
		t.Errorf("alive: %v", left)
	}
	if n := entries(filepath.Join(filepath.Dir(b.ws), "state", "sandboxes")); n != 0 {
		t.Errorf("%d directories", n)
	}
}

func TestModeOffLeavesToo(t *testing.T) {
	b := newBench(t)
	b.policy.Mode = Off
	left := b.leave("dev", "sleep 98809 >/dev/null 2>&1 &")
	eventually(t, "it is up", func() bool { return len(alive("98809")) == 1 }) // until then it is a shell that is about to be it
	if len(left) != 1 || len(b.list("dev")) != 1 {
		t.Errorf("left %v, listed %v", left, b.list("dev"))
	}
	if killed, err := b.m.Reset("dev", false); killed != 1 || err != nil || len(alive("98809")) != 0 {
		t.Errorf("%d, %v, alive %v", killed, err, alive("98809"))
	}
}
