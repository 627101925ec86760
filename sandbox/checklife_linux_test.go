package sandbox

import (
	"fmt"
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
		eventually(t, "the tree is up", func() bool { return len(alive("98709."+mark())) >= 2 })
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

// waitFor gives the kernel the two seconds that everything has to be over in.
func waitFor(t *testing.T, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Second); !done(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("not so after 2 s")
		}
	}
}

// The manager may be closed before its commands have ended.
func TestAClosedManagerEndsWhatStillRuns(t *testing.T) {
	onEveryRung(t, func(t *testing.T, rung string) {
		r := newRoom(t, rung)
		p, out := r.start("/bin/sh", "-c", "(setsid sleep 98708.$MARK &); sleep 98708.$MARK")
		defer out.Close()
		eventually(t, "the tree is up", func() bool { return len(alive("98708."+mark())) >= 2 })
		closed := make(chan struct{})
		go func() { defer close(closed); r.m.Close() }()
		waitFor(t, func() bool { return len(alive("98708."+mark())) == 0 })
		_, _ = p.Wait()
		_, _ = p.End(false)
		<-closed
		if left := alive("98708." + mark()); len(left) > 0 {
			t.Errorf("alive: %v", left)
		}
	})
}
