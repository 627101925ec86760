package sandbox

import (
	"os"
	"slices"
	"testing"

	"github.com/sourcegraph/conc"

	"github.com/pillion-sidecar/pillion/sandbox/assess"
	"github.com/pillion-sidecar/pillion/test/long"
)

// reopened is a bench whose Manager knows the last self-test, which it may change.
func reopened(t *testing.T, o Options, change func(*lastTest)) *bench {
	t.Helper()
	b := newBench(t)
	o.StateDir = b.m.opts.StateDir
	b.m.Tested()
	b.m.Close()
	last, known := loadLast(o)
	if !known {
		t.Fatal("nothing is remembered")
	}
	// As Open does, but for what change makes of it.
	b.m = newManager(o)
	b.m.last, b.m.known = last, true
	if change != nil {
		change(&b.m.last)
	}
	t.Cleanup(b.m.Close)
	return b
}

// boxes are the private directories that there are.
func (b *bench) boxes() int {
	b.t.Helper()
	entries, err := os.ReadDir(sandboxBase(b.m.opts))
	if err != nil {
		b.t.Fatal(err)
	}
	return len(entries)
}

func TestTheFirstSandboxIsOpenedWhileItsSelfTestRuns(t *testing.T) {
	everyUser(t, func(t *testing.T) {
		b := reopened(t, Options{}, nil)
		s, err := b.m.Sandbox(b.policy)
		must(t, err)
		if b.m.early == nil || b.m.early.box != nil || !b.m.whole.over.Load() {
			t.Errorf("ahead %+v, tested %v", b.m.early, b.m.whole.over.Load())
		}
		if s.box.conf.Rung != b.m.whole.found.rung || s.box.group != "" != (b.m.whole.found.group != "") {
			t.Errorf("on %s in %q, the self-test found %+v", s.box.conf.Rung, s.box.group, b.m.whole.found)
		}
		if o := b.sh("echo fine"); o.out != "fine\n" {
			t.Errorf("%+v", o)
		}
		if again, err := b.m.Sandbox(b.policy); again != s || err != nil {
			t.Errorf("%v, %v", again, err)
		}
		eventually(t, "the canaries' are put away", func() bool { return b.boxes() == 1 })
		b.m.Close()
		if n := b.boxes(); n != 0 {
			t.Errorf("%d directories are left", n)
		}
	})
}

// What was remembered may be of a stronger rung, or of a weaker one.
func TestASandboxThatWasOpenedOnAnotherRungServesNobody(t *testing.T) {
	everyUser(t, func(t *testing.T) {
		for what, change := range map[string]func(*lastTest){
			"another rung":  func(r *lastTest) { r.found.rung = map[string]string{RungFull: RungNoUserns}[r.found.rung] },
			"another group": func(r *lastTest) { r.found.group += "/gone" },
		} {
			b := reopened(t, Options{}, change)
			s, err := b.m.Sandbox(b.policy)
			must(t, err)
			if b.m.early == nil {
				t.Errorf("%s: nothing was opened ahead", what)
			}
			if got := b.m.whole.found; s.box.conf.Rung != got.rung {
				t.Errorf("%s: on %s, the self-test found %s", what, s.box.conf.Rung, got.rung)
			}
			eventually(t, what+" is closed", func() bool { return b.boxes() == 1 })
		}
	})
}

// A program that remembers more than the machine gives gets no more than it gives.
func TestASandboxOpenedAheadIsRefusedWithItsSelfTest(t *testing.T) {
	b := reopened(t, Options{}, nil)
	gone := map[Mode]assess.Facts{WorkspaceWrite: {Failure: &Missing{Feature: "landlock", Reason: "gone"}}}
	b.m.whole.found, b.m.whole.tested = findings{rung: b.m.last.found.rung, facts: gone}, true
	if s, err := b.m.Sandbox(b.policy); err == nil {
		t.Errorf("%+v", s)
	}
	if b.m.early == nil {
		t.Error("nothing was opened ahead")
	}
	if n := b.boxes(); n != 0 {
		t.Errorf("%d directories are left", n)
	}
}

func TestNothingIsOpenedAheadForAPolicyThatIsRefused(t *testing.T) {
	b := reopened(t, Options{}, nil)
	p := b.policy
	p.Writable = append(p.Writable, "relative")
	if _, err := b.m.Sandbox(p); err == nil || b.m.early != nil {
		t.Errorf("%v, %+v", err, b.m.early)
	}
}

func TestCommandsThatBeginTogetherShareTheSandboxOpenedAhead(t *testing.T) {
	b := reopened(t, Options{}, nil)
	first := b.m.openEarly(b.policy)
	other := b.policy
	other.Name = "other"
	if again := b.m.openEarly(b.policy); first == nil || again != first || b.m.openEarly(other) != nil {
		t.Fatalf("%p, again %p", first, again)
	}
	var together conc.WaitGroup
	got := make([]*Sandbox, 4)
	for i := range got {
		together.Go(func() { got[i], _ = b.m.Sandbox(b.policy) })
	}
	together.Wait()
	if got[0] == nil || slices.ContainsFunc(got, func(s *Sandbox) bool { return s != got[0] }) {
		t.Errorf("%v", got)
	}
	eventually(t, "the canaries' are put away", func() bool { return b.boxes() == 1 })
}

// Close may come while one is opened.
func TestASandboxOpenedAheadIsGoneAfterClose(t *testing.T) {
	long.Test(t)
	for range 5 {
		b := reopened(t, Options{}, nil)
		done := make(chan struct{})
		go func() { defer close(done); _, _ = b.m.Sandbox(b.policy) }()
		eventually(t, "it is being opened", func() bool { b.m.mu.Lock(); defer b.m.mu.Unlock(); return b.m.early != nil })
		b.m.Close()
		<-done
		b.m.Close()
		eventually(t, "all is gone", func() bool { return b.boxes() == 0 })
	}
}

func TestAManagerForOneModeTriesNoOther(t *testing.T) {
	for _, mode := range canaryModes {
		b := reopened(t, Options{Mode: mode}, nil)
		before, err := os.ReadFile(lastTestPath(b.m.opts))
		must(t, err)
		b.policy.Mode = mode
		s, err := b.m.Sandbox(b.policy)
		must(t, err)
		if _, ok := b.m.brief.found.facts[mode]; !ok || b.m.whole.over.Load() || s.policy.Mode != mode {
			t.Errorf("%s: %+v, whole %v", mode, b.m.brief.found, b.m.whole.over.Load())
		}
		for _, other := range canaryModes {
			if _, ok := b.m.brief.found.facts[other]; ok != (other == mode) {
				t.Errorf("%s was asked for, %s tried: %v", mode, other, ok)
			}
		}
		// Less than all is not worth remembering.
		if after, err := os.ReadFile(lastTestPath(b.m.opts)); err != nil || string(after) != string(before) {
			t.Errorf("%v\n%s\n%s", err, before, after)
		}
		other := b.policy
		other.Mode = map[Mode]Mode{ReadOnly: WorkspaceWrite, WorkspaceWrite: ReadOnly}[mode]
		if _, err := b.m.Assess(other); err != nil || !b.m.whole.over.Load() {
			t.Errorf("%v, whole %v", err, b.m.whole.over.Load())
		}
	}
}

// Nothing else is known to a first start, and mode off has no canary of its own.
func TestAManagerForOneModeTriesAllWhereItMust(t *testing.T) {
	b := newBench(t)
	fresh, err := Open(Options{StateDir: b.m.opts.StateDir + "2", Mode: WorkspaceWrite})
	must(t, err)
	defer fresh.Close()
	if _, err := fresh.Assess(b.policy); err != nil || !fresh.whole.over.Load() || fresh.brief.over.Load() {
		t.Errorf("%v, %v, %v", err, fresh.whole.over.Load(), fresh.brief.over.Load())
	}
	off := reopened(t, Options{Mode: Off}, nil)
	if _, err := off.m.Assess(Policy{Mode: Off, Network: NetworkAllow, Reads: ReadsAll}); err != nil || !off.m.whole.over.Load() {
		t.Errorf("%v, %v", err, off.m.whole.over.Load())
	}
}
