package sandbox

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/pillion-sidecar/pillion/sandbox/proc"
	"github.com/pillion-sidecar/pillion/test/long"
)

// hasty is a bench whose Manager keeps nothing for long.
func hasty(t *testing.T, times idleTimes) *bench {
	t.Helper()
	b := newBench(t)
	m, err := Open(Options{StateDir: filepath.Join(t.TempDir(), "state"), idle: times})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	b.m = m
	return b
}

func (b *bench) theBox() *box {
	b.t.Helper()
	s, err := b.m.Sandbox(b.policy)
	if err != nil {
		b.t.Fatal(err)
	}
	return s.box
}

// state is what the box has of processes.
func (b *box) state() (idle, left int, keeper bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.idle), len(b.left), b.keeper != nil
}

// together runs n commands at once, so that n runners are idle afterwards.
func (b *bench) together(n int) {
	b.t.Helper()
	var ps []*Process
	for range n {
		p, r := b.start("/bin/sh", "-c", "true")
		defer r.Close()
		ps = append(ps, p)
	}
	for _, p := range ps {
		if _, err := p.Wait(); err != nil {
			b.t.Fatal(err)
		}
		if _, err := p.End(false); err != nil {
			b.t.Fatal(err)
		}
	}
}

func TestOfIdleRunnersOneStays(t *testing.T) {
	long.Test(t)
	b := hasty(t, idleTimes{runner: time.Second, sandbox: time.Hour})
	b.together(4)
	box := b.theBox()
	if idle, _, _ := box.state(); idle != 4 {
		t.Fatalf("%d idle", idle)
	}
	host := box.keeper.cmd.Process.Pid
	eventually(t, "one is left", func() bool { idle, _, _ := box.state(); return idle == 1 })
	if !box.conf.Namespaced() {
		eventually(t, "the others are gone", func() bool { return len(proc.Children(host)) == 1 })
	}
	time.Sleep(1100 * time.Millisecond)
	if idle, _, keeper := box.state(); idle != 1 || !keeper {
		t.Errorf("%d idle, keeper %v", idle, keeper)
	}
	if o := b.sh("echo warm"); o.out != "warm\n" {
		t.Errorf("%+v", o)
	}
}

func TestAnIdleSandboxGivesUpItsProcessesAndKeepsItsHome(t *testing.T) {
	long.Test(t)
	everyUser(t, func(t *testing.T) {
		b := hasty(t, idleTimes{runner: time.Hour, sandbox: 300 * time.Millisecond})
		for range 2 { // it comes back, and goes again
			if o := b.sh("echo x >> $HOME/f; wc -l < $HOME/f"); o.status.Code != 0 {
				t.Fatalf("%+v", o)
			}
			box := b.theBox()
			_, _, keeper := box.state()
			pid := 0
			if keeper {
				pid = box.keeper.cmd.Process.Pid
			}
			eventually(t, "its processes are gone", func() bool {
				idle, _, keeper := box.state()
				_, alive := proc.Read(pid)
				return idle == 0 && !keeper && !alive
			})
		}
		if o := b.sh("wc -l < $HOME/f"); o.out != "2\n" {
			t.Errorf("the home after two rests: %+v", o)
		}
		if n := len(b.m.List()); n != 1 {
			t.Errorf("%d sandboxes", n)
		}
	})
}

func TestWhatIsInUseIsNotIdle(t *testing.T) {
	b := hasty(t, idleTimes{runner: 20 * time.Millisecond, sandbox: 50 * time.Millisecond})
	b.leave("dev", "(while :; do touch beat; sleep 0.05; done; : 98821) >/dev/null 2>&1 &")
	b.policy.Name = "long"
	if o := b.sh("sleep 0.5; echo still"); o.out != "still\n" {
		t.Errorf("a running command: %+v", o)
	}
	if len(b.list("dev")) == 0 {
		t.Error("what was left is gone")
	}
	if err := os.Remove(filepath.Join(b.ws, "beat")); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it still beats", func() bool { _, err := os.Stat(filepath.Join(b.ws, "beat")); return err == nil })
	if _, err := b.m.Reset("dev", false); err != nil {
		t.Fatal(err)
	}
}

// Commands that meet the janitor just when it ends their sandbox's processes run.
func TestCommandsAtTheMomentOfRest(t *testing.T) {
	b := hasty(t, idleTimes{runner: time.Millisecond, sandbox: time.Millisecond})
	for range 40 {
		if o := b.sh("echo x"); o.out != "x\n" || o.status.Code != 0 {
			t.Fatalf("%+v", o)
		}
		time.Sleep(time.Duration(time.Now().UnixNano()%3) * time.Millisecond)
	}
}
