package sandbox

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/sourcegraph/conc"

	"github.com/pillion-sidecar/pillion/sandbox/hostgit"
	"github.com/pillion-sidecar/pillion/sandbox/wire"
)

// maxSandboxes bounds the sandboxes a Manager keeps; a policy is chosen per
// request, so an editor could otherwise make as many as it likes.
const maxSandboxes = 16

// Options say where a Manager works.
type Options struct {
	// StateDir is a private directory (0700) for the sandboxes' own homes and
	// temporary files. It must not be inside any workspace.
	StateDir string

	// Own are paths of ours beside it that no command may change, also where a folder that
	// holds them was granted.
	Own []string

	// Program distinguishes programs that share StateDir: a self-test is remembered for
	// the very file that made it. "" is the sidecar.
	Program string

	// Later puts the self-test off until Begin, where the last one's outcome is known: it
	// takes the processors, and delays the opening of the Manager.
	Later bool

	// Mode is the only one that commands are expected to ask for, where that is so: the
	// self-test tries no other before it is asked for. "" tries all of them.
	Mode Mode

	// Recall is for a process of one command: the outcome of a test of less than an hour
	// ago, by this very file and under the same circumstances (machineKey), stands for one of
	// its own. Every step of a sandbox fails closed, so that what the kernel refuses since then
	// is noticed, and tested. It is ignored where somebody else may answer for the kernel.
	Recall bool

	idle    idleTimes
	group   string            // the control group in which sandboxes may make theirs
	pointed *hostgit.Pointers // what the user's settings point to
	views   *sharedViews      // what its sandboxes share
	tidy    *conc.WaitGroup   // what a self-test leaves to be put away
}

// Manager owns every sandbox of one sidecar.
type Manager struct {
	opts Options

	whole, brief selfTest    // of all modes, of Options.Mode
	last         lastTest    // the last whole one's outcome
	known        bool        // nothing has changed since last
	recalls      atomic.Bool // last stands for a test
	begun        chan struct{}
	begin        sync.Once // guards begun
	work         conc.WaitGroup

	idle janitor

	untidy atomic.Bool // a directory may be left that could not be removed

	mu        sync.Mutex
	sandboxes map[string]*Sandbox
	early     *earlyBox
	closed    bool
}

// Open prepares a Manager, removes what a killed predecessor left, and begins the
// self-test, unless that may come later.
func Open(o Options) (*Manager, error) {
	if wire.Name(os.Args) != "" {
		// Going on would start this program again, and that one again: a fork bomb.
		return nil, &SetupError{Stage: "start", Err: errors.New("main must call sandbox.Child before anything else")}
	}
	if err := prepare(o); err != nil {
		return nil, &SetupError{Stage: "state directory", Err: fmt.Errorf("%w; set XDG_STATE_HOME to a directory that you can write", err)}
	}
	m := newManager(o)
	m.last, m.known = loadLast(o)
	if o.Recall && m.known && recallable() {
		m.known = m.last.recent() // else the whole test is due, which is remembered
		m.recalls.Store(m.known)
	}
	m.work.Go(m.testInTime)
	m.work.Go(m.keepTidy)
	return m, nil
}

// newManager has tested nothing yet.
func newManager(o Options) *Manager {
	if o.idle == (idleTimes{}) {
		o.idle = defaultIdle
	}
	o.pointed, o.views = &hostgit.Pointers{Own: o.Own}, new(sharedViews)
	return &Manager{opts: o, sandboxes: map[string]*Sandbox{}, begun: make(chan struct{}), idle: newJanitor()}
}

// Sandbox returns the sandbox that serves a policy, made on first use. It fails
// closed: *UnavailableError where the machine can't enforce what was asked,
// *SetupError where it should have.
func (m *Manager) Sandbox(p Policy) (*Sandbox, error) {
	s, err := m.sandbox(p)
	if err != nil && m.doubt() {
		s, err = m.sandbox(p)
	}
	return s, err
}

func (m *Manager) sandbox(p Policy) (*Sandbox, error) {
	if p.Mode == WorkspaceWrite {
		m.work.Go(func() { m.opts.pointed.Below(p.Writable) }) // the first command asks, and should not wait
	}
	early := m.openEarly(p)
	got := m.deciding(p.Mode) // before the lock: nothing that holds it may wait this long
	early.wait()
	m.mu.Lock()
	defer m.mu.Unlock()
	defer early.drop()
	if m.closed {
		return nil, &SetupError{Stage: "sandbox", Err: errors.New("the manager is closed")}
	}
	key := p.Key()
	if s, ok := m.sandboxes[key]; ok { // assessed when it was made; this Manager's facts don't change
		return s, nil
	}
	e, err := got.serve(p)
	if err != nil {
		return nil, err
	}
	if len(m.sandboxes) >= maxSandboxes && !m.evict() {
		return nil, &FullError{Max: maxSandboxes}
	}
	b := early.take(got)
	if b == nil {
		if b, err = m.openBox(got, p); err != nil {
			m.leavesBehind(err)
			return nil, err
		}
	}
	s := &Sandbox{policy: p, enforcement: e, box: b, pointed: m.opts.pointed}
	m.sandboxes[key] = s
	return s, nil
}

// openBox makes a sandbox on the rung that a self-test has found.
func (m *Manager) openBox(by findings, p Policy) (*box, error) {
	o := m.opts
	o.group = by.group
	return openBox(o, by.rung, p, m.idle.remind)
}

// evict closes the sandbox that was unused for the longest time.
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
	m.whole.wait()
	m.brief.wait()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.early.drop()
	for key, s := range m.sandboxes {
		s.box.close(true)
		delete(m.sandboxes, key)
	}
	m.opts.views.Close()
	m.sweepAgain()
}

// Sandbox confines commands that share one policy and one private home.
type Sandbox struct {
	policy      Policy
	enforcement Enforcement
	box         *box
	pointed     *hostgit.Pointers
}

// Enforcement is what is in force for every command of this sandbox.
func (s *Sandbox) Enforcement() Enforcement { return s.enforcement }

// Home is the private home directory, "" in mode off.
func (s *Sandbox) Home() string { return s.box.home() }

// Tmp is the private temporary directory, "" in mode off.
func (s *Sandbox) Tmp() string { return s.box.tmp() }

// Outputs is where commands find the policy's Outputs, or "".
func (s *Sandbox) Outputs() string { return s.box.outputs() }

// Pointed is what the user's settings point to in what commands may write.
func (s *Sandbox) Pointed() []string { return s.pointed.Below(s.policy.Writable) }

// Hold keeps the sandbox, with its home and TMPDIR, for commands that are to run in it one
// after the other: between two of them it would be unused, and could make room for another
// one. Call release once. ErrClosed: it is gone already.
func (s *Sandbox) Hold() (release func(), err error) {
	if !s.box.hold() {
		return nil, &SetupError{Stage: "sandbox", Err: ErrClosed}
	}
	return sync.OnceFunc(s.box.unhold), nil
}
