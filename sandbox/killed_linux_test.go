package sandbox

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/proc"
	"github.com/pillion-sidecar/pillion/test/long"
)

// victims are a sandbox's own processes, by host pid.
func (b *box) victims() map[string]int {
	b.mu.Lock()
	defer b.mu.Unlock()
	v := map[string]int{"keeper": b.keeper.cmd.Process.Pid}
	if n := len(b.idle); n > 0 {
		v["runner"] = b.idle[n-1].host
	}
	if b.conf.Namespaced() {
		v["holder"] = proc.Children(v["keeper"])[0]
	}
	return v
}

// eachVictim runs f with a sandbox of its own for every kind of process of ours.
func eachVictim(t *testing.T, f func(t *testing.T, b *bench, victim string)) {
	t.Helper()
	probe := newBench(t)
	probe.sh("true")
	for victim := range probe.theBox().victims() {
		t.Run(victim, func(t *testing.T) {
			b := newBench(t)
			b.policy.Name = "dev"
			b.sh("true")
			f(t, b, victim)
			if o := b.sh("echo fresh"); o.out != "fresh\n" {
				t.Errorf("the next command: %+v", o)
			}
		})
	}
}

func kill(t *testing.T, pid int, sig unix.Signal) {
	t.Helper()
	if err := unix.Kill(pid, sig); err != nil {
		t.Fatalf("kill %d: %v", pid, err)
	}
}

// settleNamespaces waits for what else ends with a victim, a moment later: PID 1
// of the namespaces is gone when everything in them is.
func settleNamespaces(t *testing.T, v map[string]int, victim string) {
	t.Helper()
	holder, namespaced := v["holder"]
	if !namespaced || victim == "runner" {
		return
	}
	fd, err := unix.PidfdOpen(holder, 0)
	if err != nil {
		return // all of it is gone
	}
	defer unix.Close(fd)
	eventually(t, "the namespaces are empty", func() bool {
		n, _ := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0)
		return n == 1
	})
}

// tryOut starts a command and sees it to its end, in bounded time.
func (b *bench) tryOut(script string) error {
	s, err := b.m.Sandbox(b.policy)
	if err != nil {
		return err
	}
	null := func() *os.File { f, _ := os.OpenFile(os.DevNull, os.O_RDWR, 0); return f }
	dir, err := os.Open(b.ws)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	p, err := s.Start(ctx, Command{
		Path: "/bin/sh", Argv: []string{"sh", "-c", script}, Dir: dir, Stdin: null(), Stdout: null(), Stderr: null(),
		Env: []string{"PATH=/usr/bin:/bin"},
	})
	if err != nil {
		return err
	}
	_, werr := p.Wait()
	_, eerr := p.End(false)
	return errors.Join(werr, eerr)
}

// honest says whether an error is one a client can understand.
func honest(err error) bool {
	var setup *SetupError
	return err == nil || errors.As(err, &setup) || errors.Is(err, errRunnerLost)
}

// within fails instead of hanging.
func (b *bench) within(what string, f func() error) error {
	b.t.Helper()
	done := make(chan error, 1)
	go func() { done <- f() }()
	select {
	case err := <-done:
		return err
	case <-time.After(30 * time.Second):
		b.t.Fatalf("%s hangs", what)
		return nil
	}
}

func TestKilledWhileIdle(t *testing.T) {
	everyUser(t, func(t *testing.T) {
		eachVictim(t, func(t *testing.T, b *bench, victim string) {
			v := b.theBox().victims()
			kill(t, v[victim], unix.SIGKILL)
			settleNamespaces(t, v, victim)
			if err := b.within("the next command", func() error { return b.tryOut("true") }); err != nil {
				t.Errorf("nothing of a command was lost, but it failed: %v", err)
			}
		})
	})
}

// The process is stopped, so the command that needs it is surely starting when it
// is killed.
func TestKilledWhileACommandStarts(t *testing.T) {
	long.Test(t)
	everyUser(t, func(t *testing.T) {
		eachVictim(t, func(t *testing.T, b *bench, victim string) {
			v := b.theBox().victims()
			pid := v[victim]
			if victim != "runner" { // they are needed for a new runner only
				p, r := b.start("/bin/sh", "-c", "sleep 98831")
				defer func() { _ = p.Kill(); _, _ = p.Wait(); _, _ = p.End(false); r.Close() }()
			}
			kill(t, pid, unix.SIGSTOP)
			timer := time.AfterFunc(200*time.Millisecond, func() { _ = unix.Kill(pid, unix.SIGKILL) })
			defer func() { // the start may not have needed it
				if timer.Stop() {
					kill(t, pid, unix.SIGKILL)
				}
				settleNamespaces(t, v, victim)
			}()
			if err := b.within("the start", func() error { return b.tryOut("true") }); !honest(err) {
				t.Errorf("%v", err)
			}
		})
	})
}

func TestKilledWhileACommandRuns(t *testing.T) {
	everyUser(t, func(t *testing.T) {
		eachVictim(t, func(t *testing.T, b *bench, victim string) {
			v := b.theBox().victims()
			p, r := b.start("/bin/sh", "-c", "(setsid sleep 98832 &); sleep 98832")
			defer r.Close()
			eventually(t, "the tree is up", func() bool { return len(alive("sleep\x0098832")) == 2 })
			kill(t, v[victim], unix.SIGKILL)
			if victim == "keeper" && !b.theBox().conf.Namespaced() {
				_ = p.Kill() // its runner needs no keeper; End must find the tree's end without one
			}
			err := b.within("the end", func() error {
				_, werr := p.Wait()
				_, eerr := p.End(false)
				return errors.Join(werr, eerr)
			})
			if !honest(err) || err == nil && victim != "keeper" {
				t.Errorf("%v", err)
			}
			eventually(t, "nothing is left", func() bool { return len(alive("sleep\x0098832")) == 0 })
		})
	})
}

// What was left ends with the process that held it, is listed no more, and nothing
// waits for it.
func TestKilledWhileProcessesAreLeft(t *testing.T) {
	everyUser(t, func(t *testing.T) {
		eachVictim(t, func(t *testing.T, b *bench, victim string) {
			v := b.theBox().victims()
			b.leave("dev", "(setsid sleep 98833 &) >/dev/null 2>&1; sleep 98833 >/dev/null 2>&1 & sleep 0.1")
			kill(t, v[victim], unix.SIGKILL)
			if victim == "keeper" && !b.theBox().conf.Namespaced() {
				if _, err := b.m.Reset("dev", false); err != nil { // they need no keeper
					t.Error(err)
				}
			}
			eventually(t, "nothing is left", func() bool { return len(alive("sleep\x0098833")) == 0 && b.list("dev") == nil })
		})
	})
}

func TestBothKeeperAndRunnerKilled(t *testing.T) {
	old := len(zombies()) // helpers of other tests' sidecars, that were killed, came to us
	b := newBench(t)
	b.sh("true")
	v := b.theBox().victims()
	p, r := b.start("/bin/sh", "-c", "(setsid sleep 98834 &); sleep 98834")
	defer r.Close()
	eventually(t, "the tree is up", func() bool { return len(alive("sleep\x0098834")) == 2 })
	kill(t, v["keeper"], unix.SIGKILL)
	if err := unix.Kill(v["runner"], unix.SIGKILL); err != nil && !errors.Is(err, unix.ESRCH) { // the keeper may have taken it along
		t.Fatal(err)
	}
	if err := b.within("the end", func() error { _, werr := p.Wait(); _, eerr := p.End(false); return errors.Join(werr, eerr) }); !errors.Is(err, errRunnerLost) {
		t.Errorf("%v", err)
	}
	eventually(t, "nothing is left", func() bool { return len(alive("sleep\x0098834")) == 0 })
	if o := b.sh("echo fresh"); o.out != "fresh\n" {
		t.Errorf("%+v", o)
	}
	eventually(t, "no zombie of ours is left", func() bool { return len(zombies()) <= old })
}

func zombies() (names []string) {
	for _, p := range proc.Descendants() {
		if p.Zombie {
			names = append(names, p.Name)
		}
	}
	return names
}
