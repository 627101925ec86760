//go:build vm

package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pillion-sidecar/pillion/sandbox/limits"
	"github.com/pillion-sidecar/pillion/sandbox/policy"
	"github.com/pillion-sidecar/pillion/sandbox/proc"
)

// These need a control group that this process may divide, so they run in a virtual
// machine whose only work they are: make vm.

func (b *bench) leaf(p *Process, file string) string {
	b.t.Helper()
	text, err := os.ReadFile(filepath.Join(string(p.runner.group), file))
	must(b.t, err)
	return strings.TrimSpace(string(text))
}

// end waits for a command that start has started.
func (b *bench) end(p *Process, out *os.File) outcome {
	b.t.Helper()
	defer out.Close()
	st, err := p.Wait()
	must(b.t, err)
	left, err := p.End(false)
	must(b.t, err)
	seen, _ := p.Violations()
	return outcome{status: st, left: left, limit: p.Limit(), seen: seen}
}

// groupsLeft are the groups of ours below the one that is to be divided.
func groupsLeft(t *testing.T) []string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(limits.FindGroup(), limits.GroupPrefix+"*"))
	must(t, err)
	return list
}

func TestTheGroupIsInForceAndReported(t *testing.T) {
	everyUser(t, func(t *testing.T) {
		b := newBench(t)
		for mode, e := range b.m.Tested().Modes {
			if grouped := slices.Contains(e.Backend, policy.BackendGroup); grouped != (mode != Off) {
				t.Errorf("%s: %q", mode, e.Backend)
			}
			if strings.Contains(strings.Join(e.Residual, " "), "looking") {
				t.Errorf("%s: %q", mode, e.Residual)
			}
		}
	})
	onRungs(t, Limits{Memory: 256 * mib, Processes: 100}, func(b *bench) {
		p, out := b.start("/bin/sh", "-c", "sleep 0.3; cat /proc/self/cgroup")
		if got := b.leaf(p, "pids.max"); got != strconv.Itoa(100+limits.OwnTasks) {
			b.t.Errorf("pids.max %s", got)
		}
		if got, _ := strconv.ParseInt(b.leaf(p, "memory.high"), 10, 64); got < 256*mib || got > 320*mib {
			b.t.Errorf("memory.high %d", got)
		}
		if !slices.Contains(strings.Fields(b.leaf(p, "cgroup.procs")), strconv.Itoa(p.Pid())) {
			b.t.Errorf("%d is not in its group: %q", p.Pid(), b.leaf(p, "cgroup.procs"))
		}
		b.end(p, out)
	})
}

// What takes memory faster than anyone can look is held at the limit nevertheless,
// and all of it ends.
func TestTheKernelHoldsTheMemory(t *testing.T) {
	onRungs(t, Limits{Memory: 256 * mib}, func(b *bench) {
		p, out := b.start("/bin/sh", "-c", "for i in 1 2 3 4; do perl -e '$x = \"x\" x (600<<20); sleep 60' & done; wait; sleep 60")
		group := p.runner.group
		o := b.end(p, out)
		peak, err := os.ReadFile(filepath.Join(string(group), "memory.peak"))
		must(b.t, err)
		most, _ := strconv.ParseInt(strings.TrimSpace(string(peak)), 10, 64)
		if o.limit != LimitMemory || o.status.Signal == 0 || most > 360*mib {
			b.t.Errorf("%+v, %d MiB at most", o, most/mib)
		}
		if len(o.seen) != 1 || o.seen[0].Attribution != AttributionReported {
			b.t.Errorf("%+v", o.seen)
		}
		if o := b.sh("echo next"); o.out != "next\n" || o.limit != "" {
			b.t.Errorf("the next command: %+v", o)
		}
	})
}

// Small processes in great number take it as well as a large one; the runner is the
// largest of them, and must not be what the kernel takes.
func TestTheKernelTakesNoRunner(t *testing.T) {
	onRungs(t, Limits{Memory: 32 * mib, Processes: 2000}, func(b *bench) {
		p, out := b.start("/bin/sh", "-c", "i=0; while [ $i -lt 1500 ]; do sleep 97031 & i=$((i+1)); done; wait")
		if o := b.end(p, out); o.limit != LimitMemory {
			b.t.Errorf("%+v", o)
		}
		if left := alive("97031"); len(left) > 0 {
			b.t.Errorf("alive: %q", left)
		}
	})
}

// Should the kernel itself end a process, its largest and no more, the rest ends
// with it, and the reason is known.
func TestWhatTheKernelEndsIsNamed(t *testing.T) {
	for _, rest := range []string{"sleep 60", "exit 3"} {
		onRungs(t, Limits{Memory: 256 * mib}, func(b *bench) {
			p, out := b.start("/bin/sh", "-c", "perl -e '$x = \"x\" x (100<<20); print 1; sleep 60'; "+rest)
			waitFor(b.t, func() bool {
				return b.leaf(p, "memory.peak") > "1" && limits.Unreclaimed([]byte(b.leaf(p, "memory.stat"))) > 100*mib
			})
			must(b.t, os.WriteFile(filepath.Join(string(p.runner.group), "memory.max"), []byte("50M"), 0o600))
			if o := b.end(p, out); o.limit != LimitMemory || len(o.seen) != 1 || o.seen[0].Grant != "limits.maxMemoryBytes" {
				b.t.Errorf("then %s: %+v", rest, o)
			}
		})
	}
}

func TestFilesInMemoryOfAnotherCommandAreItsOwn(t *testing.T) {
	onRungs(t, Limits{Memory: 128 * mib}, func(b *bench) {
		if o := b.sh("head -c 100m /dev/zero > $TMPDIR/f; sleep 0.3"); o.limit != "" {
			b.t.Errorf("the first: %+v", o)
		}
		if o := b.sh("perl -e '$x = \"x\" x (30<<20); select undef, undef, undef, 0.4; print 1'"); o.out != "1" || o.limit != "" {
			b.t.Errorf("the second: %+v", o)
		}
	})
}

func TestTheKernelRefusesForks(t *testing.T) {
	onRungs(t, Limits{Processes: 64}, func(b *bench) {
		p, out := b.start("/bin/sh", "-c", "i=0; while [ $i -lt 300 ]; do sleep 97032 & i=$((i+1)); done; sleep 60")
		group := p.runner.group
		o := b.end(p, out)
		peak, err := os.ReadFile(filepath.Join(string(group), "pids.peak"))
		must(b.t, err)
		if most, _ := strconv.Atoi(strings.TrimSpace(string(peak))); most > 64+limits.OwnTasks || most < 64 {
			b.t.Errorf("%d at once", most)
		}
		if len(o.seen) != 1 || o.seen[0].Op != "fork" || o.seen[0].Attribution != AttributionReported {
			b.t.Errorf("%+v", o)
		}
	})
}

func TestABombIsHeldByTheGroup(t *testing.T) {
	onRungs(t, Limits{Processes: 200}, func(b *bench) {
		p, out := b.start("/bin/bash", "-c", ":() { : | : & }; :; sleep 97033")
		group := p.runner.group
		if o := b.end(p, out); o.limit != LimitProcesses {
			b.t.Errorf("%+v", o)
		}
		if text, err := os.ReadFile(filepath.Join(string(group), "cgroup.procs")); err == nil && strings.Count(string(text), "\n") > 1 {
			b.t.Errorf("still in the group: %q", text)
		}
	})
}

func TestNoGroupIsLeft(t *testing.T) {
	everyUser(t, func(t *testing.T) {
		b := newBench(t)
		for range 3 {
			b.sh("(setsid sleep 97034 &); true")
		}
		if len(groupsLeft(t)) == 0 {
			t.Error("there was none")
		}
		b.m.Close()
		if left := groupsLeft(t); len(left) > 0 {
			t.Errorf("left: %q", left)
		}
	})
}

// Killed together, sidecar, keeper and runner leave the command alone and a group
// with it: the next start ends both.
func TestTheGroupOfAKilledSidecarIsEnded(t *testing.T) {
	onEveryRung(t, func(t *testing.T, rung string) {
		b := newBench(t)
		state := filepath.Join(filepath.Dir(b.ws), "killed")
		cmd := startSidecar(t, state, b.ws)
		var groups []string
		for _, name := range limits.Names(filepath.Join(state, "sandboxes")) {
			groups = append(groups, filepath.Join(limits.FindGroup(), limits.GroupPrefix+name))
		}
		must(t, cmd.Process.Signal(syscall.SIGSTOP)) // nobody may mend what comes
		ours := slices.DeleteFunc(proc.Below(cmd.Process.Pid, proc.MaxBelow), func(p proc.Process) bool { return p.Name == "sh" || p.Name == "sleep" })
		for _, sig := range []syscall.Signal{syscall.SIGSTOP, syscall.SIGKILL} {
			for _, p := range ours {
				must(t, syscall.Kill(p.PID, sig))
			}
		}
		must(t, cmd.Process.Kill())
		_ = cmd.Wait()
		if n := len(alive("98714." + mark())); n == 0 && rung == RungNoUserns {
			t.Error("nothing survived, so nothing had to be ended")
		}
		again, err := Open(Options{StateDir: state})
		must(t, err)
		defer again.Close()
		waitFor(t, func() bool { return len(alive("98714."+mark())) == 0 })
		waitFor(t, func() bool {
			return !slices.ContainsFunc(groups, func(g string) bool { _, err := os.Stat(g); return err == nil })
		})
	})
}

// A group that may not be divided further is not used, and nothing claims otherwise.
func TestAGroupThatCannotBeDividedIsNone(t *testing.T) {
	limit := filepath.Join(limits.FindGroup(), "cgroup.max.descendants")
	must(t, os.WriteFile(limit, []byte("2"), 0o600)) // this process's own, and one more
	defer func() { must(t, os.WriteFile(limit, []byte("max"), 0o600)) }()
	b := newBench(t)
	r := b.m.Tested()
	if e := r.Modes[WorkspaceWrite]; slices.Contains(e.Backend, policy.BackendGroup) || !strings.Contains(strings.Join(e.Residual, " "), "looking") {
		t.Errorf("%+v", e)
	}
	if o := b.sh("echo fine"); o.out != "fine\n" {
		t.Errorf("%+v", o)
	}
}

// One that is refused later refuses the sandbox: nothing runs weaker in silence.
func TestAGroupThatIsRefusedLaterIsAnError(t *testing.T) {
	b := newBench(t)
	b.m.Tested()
	limit := filepath.Join(limits.FindGroup(), "cgroup.max.descendants")
	must(t, os.WriteFile(limit, []byte("1"), 0o600))
	defer func() { must(t, os.WriteFile(limit, []byte("max"), 0o600)) }()
	if _, err := b.m.Sandbox(b.policy); err == nil || !strings.Contains(err.Error(), "control group") {
		t.Errorf("%v", err)
	}
}

// What a group costs for each command.
func TestAGroupCostsACommandLittle(t *testing.T) {
	b := newBench(t)
	b.m.Tested()
	plain := b.m.opts
	grouped := plain
	grouped.group = limits.FindGroup()
	took := map[string]time.Duration{}
	for range 3 {
		for name, o := range map[string]Options{"plain": plain, "grouped": grouped} {
			box, err := openBox(o, b.m.whole.found.rung, b.policy, nil)
			must(t, err)
			b.box = &Sandbox{policy: b.policy, box: box}
			b.sh("true")
			began := time.Now()
			for range 30 {
				b.sh("true")
			}
			took[name] += time.Since(began)
			box.close(true)
		}
	}
	ratio := float64(took["grouped"]) / float64(took["plain"])
	t.Logf("%.2f", ratio)
	if ratio > 1.3 {
		t.Errorf("%.2f times as long: %v", ratio, took)
	}
}
