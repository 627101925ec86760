package sandbox

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sourcegraph/conc"
)

// trial is one run of the self-test: a canary in a real sandbox tries what must be
// refused, in each of some modes.
type trial struct {
	mu     sync.Mutex // held while it runs
	tested bool       // survey and report are its outcome
	over   atomic.Bool
	survey survey
	report Report
	tidy   conc.WaitGroup // puts the canaries' sandboxes away, while commands start
}

// canaryModes are the modes in which a canary tries something.
var canaryModes = []Mode{ReadOnly, WorkspaceWrite}

// run tests once. A test that had not the descriptors for it has no outcome: whoever
// comes next tries again.
func (t *trial) run(o Options, modes []Mode, done func(survey, Report)) (survey, Report) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.tested {
		return t.survey, t.report
	}
	o.tidy = &t.tidy
	t.survey = probe(o, modes)
	t.report = newReport(t.survey, time.Now())
	if t.survey.scarce != nil {
		t.tidy.Wait() // for the descriptors that the next one needs
		return t.survey, t.report
	}
	done(t.survey, t.report)
	t.tested = true
	t.over.Store(true)
	return t.survey, t.report
}

// wait lets what a test has left be put away.
func (t *trial) wait() {
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
// There is one in every Manager, always, and no command starts before it is over.
func (m *Manager) deciding(mode Mode) survey {
	m.sweepAgain()
	got := m.found(mode)
	m.leavesBehind(got.scarce)
	return got
}

func (m *Manager) found(mode Mode) survey {
	if m.known && mode == m.opts.Mode && slices.Contains(canaryModes, mode) && !m.whole.over.Load() {
		got, _ := m.brief.run(m.opts, []Mode{mode}, func(survey, Report) {})
		return got
	}
	got, _ := m.selfTest()
	return got
}

// selfTest is the whole one.
func (m *Manager) selfTest() (survey, Report) {
	return m.whole.run(m.opts, canaryModes, func(s survey, r Report) { remember(m.opts, s, r.ProbedAt) })
}

// Report is this machine's self-tested description. While this Manager's own
// test still runs it is the last one's, if that was on the same boot of the same
// kernel with this very program (ProbedAt tells); else it waits.
func (m *Manager) Report() Report {
	if m.known && !m.whole.over.Load() {
		return m.last.report
	}
	return m.Tested()
}

// Tested is the report of this Manager's own self-test in every mode; it waits for it.
func (m *Manager) Tested() Report {
	_, r := m.selfTest()
	return r
}

// Assess tells what a policy would get here, and why it would be refused.
func (m *Manager) Assess(p Policy) (Enforcement, error) { return m.deciding(p.Mode).serve(p) }
