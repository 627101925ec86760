package sandbox

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sourcegraph/conc/pool"
)

func TestTwoHundredRunsAtOnceLeaveACleanWorkTree(t *testing.T) {
	onEveryRung(t, func(t *testing.T, rung string) {
		r := newRoom(t, rung)
		r.makeRepository()
		p := pool.New().WithMaxGoroutines(200)
		for i := range 200 {
			p.Go(func() {
				o := r.git.sh(fmt.Sprintf("git log --oneline > /dev/null; echo %d > $TMPDIR/f; touch -c README; echo %d", i, i))
				if o.status.Code != 0 || o.out != fmt.Sprintln(i) {
					t.Errorf("run %d: %+v", i, o)
				}
			})
		}
		p.Wait()
		if dirty := gitOut(t, r.repo, "status", "--porcelain", "-uall"); dirty != "" {
			t.Errorf("not clean:\n%s", dirty)
		}
	})
}

func TestAThousandDaemonsAreContained(t *testing.T) {
	onEveryRung(t, func(t *testing.T, rung string) {
		r := newRoom(t, rung)
		began := time.Now()
		o := r.sh("i=0; while [ $i -lt 1000 ]; do (setsid sleep 98710.$MARK &) ; i=$((i+1)); done")
		if o.status.Code != 0 || len(o.left) < 1000 {
			t.Errorf("%+v, %d left, want 1000", o.status, len(o.left))
		}
		if n := len(alive("98710." + mark())); n > 0 {
			t.Errorf("%d alive", n)
		}
		t.Logf("1000 daemons in %v", time.Since(began))
	})
}

// However the command ends, its tree does.
func TestACancelledCommandLeavesNoProcess(t *testing.T) {
	onEveryRung(t, func(t *testing.T, rung string) {
		r := newRoom(t, rung)
		p, out := r.start("/bin/sh", "-c", "(setsid sleep 98709.$MARK &); trap '' TERM; sleep 98709.$MARK; sleep 98709.$MARK")
		defer out.Close()
		waitFor(t, func() bool { return len(alive("98709."+mark())) >= 2 })
		must(t, p.Kill())
		_, err := p.Wait()
		must(t, err)
		_, err = p.End(false)
		must(t, err)
		if left := alive("98709." + mark()); len(left) > 0 {
			t.Errorf("alive: %v", left)
		}
	})
}

// The sidecar dies in the hardest way while a daemon runs and a file is written.
func TestAKilledSidecarLeavesNothing(t *testing.T) {
	onEveryRung(t, func(t *testing.T, rung string) {
		r := newRoom(t, rung)
		r.makeRepository()
		before := r.state()
		state := filepath.Join(r.base, "killed")
		exe, err := os.Executable()
		must(t, err)
		cmd := exec.Command(exe, "holder", state, r.repo, mark())
		cmd.Stderr = os.Stderr
		out, err := cmd.StdoutPipe()
		must(t, err)
		must(t, cmd.Start())
		if line, err := bufio.NewReader(out).ReadString('\n'); line != "running\n" {
			t.Fatalf("%q, %v", line, err)
		}
		waitFor(t, func() bool { return len(alive("98714."+mark())) >= 2 })
		must(t, cmd.Process.Kill())
		_ = cmd.Wait()
		killed := time.Now()
		waitFor(t, func() bool { return len(alive("98714."+mark())) == 0 && len(aliveIn(state)) == 0 })
		t.Logf("no process after %v", time.Since(killed))
		again, err := Open(Options{StateDir: state})
		must(t, err)
		again.Tested()
		again.Close()
		waitFor(t, func() bool { return len(filesBelow(t, filepath.Join(state, "sandboxes"))) == 0 })
		if dirty := gitOut(t, r.repo, "status", "--porcelain", "-uall"); dirty != "" {
			t.Errorf("not clean:\n%s", dirty)
		}
		if after := r.state(); after != before {
			t.Errorf("the host changed:\n%s", hostChange(before, after))
		}
	})
}

// waitFor gives the kernel the two seconds that everything has to be over in.
func waitFor(t *testing.T, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Second); !done(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("not so after 2 s")
		}
	}
}

// aliveIn are processes that were started with a path below dir.
func aliveIn(dir string) []string { return alive(dir + "/") }

func filesBelow(t *testing.T, dir string) []string {
	t.Helper()
	found := strings.Split(strings.TrimSpace(snapshot(t, dir)), "\n")
	return found[1:] // without the directory itself
}

// holderHelper is a sidecar with one command that daemonizes, for the test that
// kills it.
func holderHelper(args []string) int {
	m, err := Open(Options{StateDir: args[0]})
	if err != nil {
		return complain(err)
	}
	s, err := m.Sandbox(Policy{
		Mode: WorkspaceWrite, Network: NetworkDeny, Reads: ReadsPrivate, Writable: []string{args[1]}, Readable: []string{args[1]},
	})
	if err != nil {
		return complain(err)
	}
	null := func() *os.File { f, _ := os.OpenFile(os.DevNull, os.O_RDWR, 0); return f }
	d, err := os.Open(args[1])
	if err != nil {
		return complain(err)
	}
	p, err := s.Start(context.Background(), Command{
		Path: "/bin/sh", Argv: []string{"sh", "-c", "(setsid sh -c 'sleep 98714.$MARK & sleep 98714.$MARK' &); mkdir -p $HOME/a; chmod 0 $HOME/a; sleep 98714.$MARK"},
		Env: []string{"PATH=/usr/bin:/bin", "HOME=" + s.Home(), "MARK=" + args[2]}, Dir: d, Stdin: null(), Stdout: null(), Stderr: null(),
	})
	if err != nil {
		return complain(err)
	}
	fmt.Println("running")
	_, _ = p.Wait()
	return 0
}

func complain(err error) int {
	fmt.Fprintln(os.Stderr, err)
	return 2
}

// Whoever closes the manager need not have ended its commands first.
func TestAClosedManagerEndsWhatStillRuns(t *testing.T) {
	onEveryRung(t, func(t *testing.T, rung string) {
		r := newRoom(t, rung)
		p, out := r.start("/bin/sh", "-c", "(setsid sleep 98708.$MARK &); sleep 98708.$MARK")
		defer out.Close()
		waitFor(t, func() bool { return len(alive("98708."+mark())) >= 2 })
		closed := make(chan struct{})
		go func() { defer close(closed); r.m.Close() }()
		select {
		case <-closed:
		case <-time.After(2 * time.Second):
			t.Error("close waits for the command")
			_ = p.Kill()
		}
		_, _ = p.Wait()
		_, _ = p.End(false)
		<-closed
		if left := alive("98708." + mark()); len(left) > 0 {
			t.Errorf("alive: %v", left)
		}
	})
}
