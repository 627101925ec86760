package sandbox

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sourcegraph/conc"
)

// selfTest is one run of the self-test: a canary in a real sandbox tries what must be
// refused, in each of some modes.
type selfTest struct {
	mu     sync.Mutex // held while it runs
	tested bool       // findings and report are its outcome
	over   atomic.Bool
	found  findings
	report Report
	tidy   conc.WaitGroup // puts the canaries' sandboxes away, while commands start
}

// canaryModes are the modes in which a canary tries something.
var canaryModes = []Mode{ReadOnly, WorkspaceWrite}

// run tests once. A test that had not the descriptors for it has no outcome: the next
// caller tries again.
func (t *selfTest) run(o Options, modes []Mode, done func(findings, Report)) (findings, Report) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.tested {
		return t.found, t.report
	}
	o.tidy = &t.tidy
	t.found = probe(o, modes)
	t.report = newReport(t.found, time.Now())
	if t.found.scarce != nil {
		t.tidy.Wait() // for the descriptors that the next one needs
		return t.found, t.report
	}
	done(t.found, t.report)
	t.tested = true
	t.over.Store(true)
	return t.found, t.report
}

// wait lets what a test has left be put away.
func (t *selfTest) wait() {
	if t.over.Load() {
		t.tidy.Wait()
	}
}

// beginTime is how long Begin is waited for.
const beginTime = 100 * time.Millisecond

// Begin says that there is time for the self-test now. A command that comes before
// begins it, too.
func (m *Manager) Begin() { m.begin.Do(func() { close(m.begun) }) }

func (m *Manager) testInTime() {
	if m.known && m.opts.Later {
		select {
		case <-m.begun:
		case <-m.idle.stop:
		case <-time.After(beginTime):
		}
	}
	m.deciding(m.opts.Mode)
}

// deciding is what the self-test has found that decides on a mode; it waits for it.
// There is one in every Manager, but for Options.Recall, and no command starts before it
// is over.
func (m *Manager) deciding(mode Mode) findings {
	m.sweepAgain()
	got := m.found(mode)
	m.leavesBehind(got.scarce)
	return got
}

func (m *Manager) found(mode Mode) findings {
	if m.recalls.Load() {
		return m.last.found
	}
	if m.known && mode == m.opts.Mode && slices.Contains(canaryModes, mode) && !m.whole.over.Load() {
		got, _ := m.brief.run(m.opts, []Mode{mode}, func(findings, Report) {})
		return got
	}
	got, _ := m.testAll()
	return got
}

// testAll is the whole one.
func (m *Manager) testAll() (findings, Report) {
	return m.whole.run(m.opts, canaryModes, func(s findings, r Report) { saveLast(m.opts, s, r.ProbedAt) })
}

// Report is this machine's self-tested description. While this Manager's own test still
// runs it is the last one's, if that was on the same boot of the same kernel with this
// very program (ProbedAt has the time); else it waits.
func (m *Manager) Report() Report {
	if m.known && !m.whole.over.Load() {
		return m.last.report
	}
	return m.Tested()
}

// Tested is the report of this Manager's own self-test in every mode; it waits for it.
func (m *Manager) Tested() Report {
	_, r := m.testAll()
	return r
}

// Assess says what a policy would get here, and why it would be refused.
func (m *Manager) Assess(p Policy) (Enforcement, error) {
	e, err := m.deciding(p.Mode).serve(p)
	if err != nil && m.doubt() {
		return m.deciding(p.Mode).serve(p)
	}
	return e, err
}

// earlyBox is the sandbox of a Manager's first command, opened while the self-test runs
// that decides on it: each takes as long as the other. Nothing starts in it before
// the test is over.
type earlyBox struct {
	key  string   // of its policy
	by   findings // what it was opened by: the last self-test's outcome
	done chan struct{}
	box  *box // nil if it could not be opened, or is in use; guarded by Manager.mu once done
}

// openEarly begins to open a policy's sandbox, if it is the first one and its
// self-test is not over; further commands of that policy share it. A nil result
// stands for none.
func (m *Manager) openEarly(p Policy) *earlyBox {
	if !m.known || m.whole.over.Load() || m.brief.over.Load() || p.Mode == Off {
		return nil
	}
	if _, err := m.last.found.serve(p); err != nil {
		return nil
	}
	key := p.Key()
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.closed, m.early != nil && m.early.key != key:
		return nil
	case m.early != nil:
		return m.early
	}
	a := &earlyBox{key: key, by: m.last.found, done: make(chan struct{})}
	m.early = a
	m.work.Go(func() {
		defer close(a.done)
		a.box, _ = m.openBox(a.by, p) // why not is reported when it is opened again
	})
	return a
}

func (a *earlyBox) wait() {
	if a != nil {
		<-a.done
	}
}

// take hands the sandbox out, if the self-test has found what it was opened by.
func (a *earlyBox) take(got findings) *box {
	if a == nil || a.by.rung != got.rung || a.by.group != got.group {
		return nil
	}
	b := a.box
	a.box = nil
	return b
}

// drop closes the sandbox, unless it has been taken.
func (a *earlyBox) drop() {
	if a != nil && a.box != nil {
		a.box.close(true)
		a.box = nil
	}
}

// leavesBehind notes that what failed could not be put away either: that takes
// descriptors, too.
func (m *Manager) leavesBehind(err error) {
	if outOfDescriptors(err) {
		m.untidy.Store(true)
	}
}

// sweepAgain removes what was left then.
func (m *Manager) sweepAgain() {
	if m.untidy.Swap(false) {
		_ = prepare(m.opts) // where it fails again, what is begun now says so
	}
}
