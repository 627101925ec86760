package sandbox

import (
	"errors"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sourcegraph/conc"
)

// maxSandboxes bounds the sandboxes a Manager keeps; a policy is chosen per
// request, so an editor could otherwise make as many as it likes.
const maxSandboxes = 16

// Options say where a Manager works.
type Options struct {
	// StateDir is a private directory (0700) for the sandboxes' own homes and
	// temporary files. It must not be inside any workspace.
	StateDir string

	// Program tells programs apart that share StateDir: a self-test is remembered for
	// the very file that made it. "" is the sidecar.
	Program string

	// Later puts the self-test off until Begin, where the last one's outcome is known:
	// it takes the processors, and time from the start of whoever opens the Manager.
	Later bool

	idle  idleTimes
	group string // the control group in which sandboxes may make theirs
}

// Manager owns every sandbox of one sidecar.
type Manager struct {
	opts Options

	test   sync.Once // guards report and survey
	tested atomic.Bool
	report Report
	survey survey
	recall Report // the last self-test's, where nothing has changed since
	known  bool
	begun  chan struct{}
	begin  sync.Once // guards begun
	work   conc.WaitGroup

	idle janitor

	mu        sync.Mutex
	sandboxes map[string]*Sandbox
	closed    bool
}

// beginTime is how long Begin is waited for.
const beginTime = 100 * time.Millisecond

// Open prepares a Manager, removes what a killed predecessor left behind, and
// begins the self-test, unless that may come later.
func Open(o Options) (*Manager, error) {
	if isChild() {
		// Going on would start this program again, and that one again: a fork bomb.
		return nil, &SetupError{Stage: "start", Err: errors.New("main must call sandbox.Child before anything else")}
	}
	if o.idle == (idleTimes{}) {
		o.idle = defaultIdle
	}
	m := &Manager{opts: o, sandboxes: map[string]*Sandbox{}, begun: make(chan struct{}), idle: newJanitor()}
	if err := prepare(o); err != nil {
		return nil, &SetupError{Stage: "state directory", Err: err}
	}
	m.recall, m.known = recall(o)
	m.work.Go(m.testInTime)
	m.work.Go(m.keepTidy)
	return m, nil
}

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
	m.selfTest()
}

// selfTest runs once per Manager, always: a canary in a real sandbox tries what
// must be refused. No command starts before it has.
func (m *Manager) selfTest() {
	m.test.Do(func() {
		m.survey = probe(m.opts)
		m.report = newReport(m.survey, time.Now())
		remember(m.opts, m.survey, m.report.ProbedAt)
		m.tested.Store(true)
	})
}

// Report is this machine's self-tested description. While this Manager's own
// test still runs it is the last one's, if that was on the same boot of the same
// kernel with this very program (ProbedAt tells); else it waits.
func (m *Manager) Report() Report {
	if m.known && !m.tested.Load() {
		return m.recall
	}
	return m.Tested()
}

// Tested is the report of this Manager's own self-test; it waits for it.
func (m *Manager) Tested() Report {
	m.selfTest()
	return m.report
}

// Assess tells what a policy would get here, and why it would be refused.
func (m *Manager) Assess(p Policy) (Enforcement, error) {
	m.selfTest()
	f, ok := m.survey.facts[p.Mode]
	if !ok {
		f = m.survey.facts[WorkspaceWrite]
	}
	e := assess(p, f)
	if bad := p.validate(); bad != nil {
		return e, &UnavailableError{Requested: p, Effective: e, Missing: []Missing{*bad}}
	}
	if missing := p.below(m.report.Rung); len(missing) > 0 {
		return e, &UnavailableError{Requested: p, Effective: e, Missing: missing}
	}
	if f.failure != nil {
		return e, &UnavailableError{Requested: p, Effective: e, Missing: []Missing{*f.failure}}
	}
	if missing := p.unserved(m.survey.rung); len(missing) > 0 {
		return e, &UnavailableError{Requested: p, Effective: e, Missing: missing}
	}
	if missing := p.missing(e); len(missing) > 0 && p.Require != RequireBestEffort {
		return e, &UnavailableError{Requested: p, Effective: e, Missing: missing}
	}
	return e, nil
}

// Sandbox returns the sandbox that serves a policy, made on first use. It fails
// closed: *UnavailableError where the machine can't enforce what was asked,
// *SetupError where it should have.
func (m *Manager) Sandbox(p Policy) (*Sandbox, error) {
	m.selfTest() // before the lock: nothing that holds it may wait this long
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil, &SetupError{Stage: "sandbox", Err: errors.New("the manager is closed")}
	}
	key := p.Key()
	if s, ok := m.sandboxes[key]; ok { // assessed when it was made; this Manager's facts don't change
		return s, nil
	}
	e, err := m.Assess(p)
	if err != nil {
		return nil, err
	}
	if len(m.sandboxes) >= maxSandboxes && !m.evict() {
		return nil, &FullError{Max: maxSandboxes}
	}
	o := m.opts
	o.group = m.survey.group
	b, err := openBox(o, m.survey.rung, p, m.idle.remind)
	if err != nil {
		return nil, err
	}
	s := &Sandbox{policy: p, enforcement: e, box: b}
	m.sandboxes[key] = s
	return s, nil
}

// evict closes the sandbox that nobody has used for the longest time.
func (m *Manager) evict() bool {
	byUse := slices.SortedFunc(maps.Keys(m.sandboxes), func(a, b string) int {
		return m.sandboxes[a].box.lastUsed().Compare(m.sandboxes[b].box.lastUsed())
	})
	for _, key := range byUse {
		if m.sandboxes[key].box.close(false) {
			delete(m.sandboxes, key)
			return true
		}
	}
	return false
}

// Close ends every process of every sandbox and removes their directories.
func (m *Manager) Close() {
	m.mu.Lock()
	if !m.closed {
		m.closed = true
		close(m.idle.stop)
	}
	m.mu.Unlock()
	m.work.Wait()
	m.mu.Lock()
	defer m.mu.Unlock()
	for key, s := range m.sandboxes {
		s.box.close(true)
		delete(m.sandboxes, key)
	}
}

// Sandbox confines commands that share one policy and one private home.
type Sandbox struct {
	policy      Policy
	enforcement Enforcement
	box         *box
}

// Enforcement is what is in force for every command of this sandbox.
func (s *Sandbox) Enforcement() Enforcement { return s.enforcement }

// Home is the private home directory, "" in mode off.
func (s *Sandbox) Home() string { return s.box.home() }

// Tmp is the private temporary directory, "" in mode off.
func (s *Sandbox) Tmp() string { return s.box.tmp() }

// Outputs is where commands find the policy's Outputs, "" where it has none.
func (s *Sandbox) Outputs() string { return s.box.outputs() }

// Hold keeps the sandbox, with its home and TMPDIR, for commands that are to run
// in it one after the other: between two of them it would be nobody's, and could
// make room for another one. Call release once. ErrClosed: it is gone already.
func (s *Sandbox) Hold() (release func(), err error) {
	if !s.box.hold() {
		return nil, &SetupError{Stage: "sandbox", Err: ErrClosed}
	}
	return sync.OnceFunc(s.box.unhold), nil
}
