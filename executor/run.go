package executor

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/pillion-sidecar/pillion/guard"
	"github.com/pillion-sidecar/pillion/sandbox"
	"github.com/pillion-sidecar/pillion/workspace"
)

// Run is one admitted command.
type Run struct {
	engine   *Engine
	req      Request
	folders  *workspace.Set
	revision int
	grace    atomic.Int64  // nanoseconds between SIGTERM and SIGKILL
	shorter  chan struct{} // tells who waits for it that grace has changed

	// There is one way to stop: ctx, whose cause is the first Reason recorded.
	ctx    context.Context
	cancel context.CancelCauseFunc
	hard   chan struct{} // closed by a forced cancel: SIGKILL at once
	once   sync.Once     // closes hard

	turn chan struct{} // closed when the queue gives us a slot
	up   chan struct{} // closed when it has streams, or is over without

	expires time.Time // of its output, known at its end; zero: not kept. Only Do's goroutine uses it

	// of the goroutine of Do
	rounds   int       // questions asked
	redeemed bool      // the Retry was looked at
	approved *proposal // what a person accepted last
	approval Approval  // how
	told     *told     // the verdict that was recorded last

	// under engine.mu
	state   State
	pid     int
	started time.Time
	cwd     string
	mode    sandbox.Mode
	in      string // the name of the sandbox it has processes in, "" without any
	streams []*stream
	proc    *sandbox.Process // nil before it starts
	screen  *os.File         // our end of its terminal, nil without one

	input  *input // nil without any
	credit *credit
}

// cause carries a Reason through context.WithCancelCause.
type cause Reason

func (c cause) Error() string { return string(c) }

func newRun(e *Engine, r Request, f *workspace.Set, revision int) *Run {
	run := &Run{engine: e, req: r, folders: f, revision: revision, hard: make(chan struct{}), shorter: make(chan struct{}, 1), up: make(chan struct{}), state: StateQueued, cwd: r.Cwd, input: newInput(r.Stdin, r.StdinOpen || r.Terminal != nil)}
	run.ctx, run.cancel = context.WithCancelCause(context.Background())
	run.credit = newCredit(r.Output.Window, e.conf.Limits.AckWait)
	run.grace.Store(int64(cmp.Or(r.KillGrace, e.conf.Limits.KillGrace)))
	return run
}

// ID is the execId, minted where the request had none.
func (r *Run) ID() string { return r.req.ID }

// Cancel records why the run ends, unless something came first, and starts
// ending it: SIGTERM to the whole tree, SIGKILL after the grace or at once with
// force. It returns when that is under way, not when the tree is dead.
func (r *Run) Cancel(why Reason, force bool) (State, bool) {
	r.engine.mu.Lock()
	state := r.state
	r.engine.mu.Unlock()
	if state == StateFinished {
		return state, false
	}
	first := r.ctx.Err() == nil
	if force {
		r.once.Do(func() { close(r.hard) }) // first: whoever sees the end sees how
	}
	r.cancel(cause(why))
	r.press(why)
	return state, first || force
}

// reason is the first recorded cause, "" while there is none.
func (r *Run) reason() Reason {
	var c cause
	if errors.As(context.Cause(r.ctx), &c) {
		return Reason(c)
	}
	return ""
}

// hurry sets the grace. Once the command has been asked to end it is only made
// shorter, and still counts from then: nobody who was promised an end waits longer
// for it.
func (r *Run) hurry(d time.Duration) {
	r.engine.mu.Lock()
	defer r.engine.mu.Unlock()
	if r.ctx.Err() != nil && int64(d) >= r.grace.Load() {
		return
	}
	r.grace.Store(int64(d))
	select {
	case r.shorter <- struct{}{}:
	default:
	}
}

// Do takes the run through its whole life and returns when every event has been
// delivered to the Sink. Call it once.
func (r *Run) Do(s Sink) (*Result, error) {
	defer r.engine.forget(r)
	defer r.input.end(WriteFinished)
	defer r.cancel(cause(InternalError)) // frees the context; a recorded cause stays
	p, err := r.ready(s)
	if err != nil {
		return nil, err
	}
	release := sync.OnceFunc(r.release)
	defer release()
	l, err := r.spawn(p, release)
	for tries := 0; errors.Is(err, sandbox.ErrClosed) && tries < maxResets; tries++ {
		// It was reset, or made room for another, since we asked for it.
		if p, err = r.prepare(); err != nil {
			return nil, err
		}
		l, err = r.spawn(p, release)
	}
	if err != nil {
		return nil, err
	}
	return l.follow(s), nil
}

// ready waits until the command may start and has a slot.
func (r *Run) ready(s Sink) (*prepared, error) {
	for {
		p, err := r.permitted()
		if err != nil {
			return nil, err
		}
		waited, err := r.acquire(s)
		if err == nil && !waited {
			return p, nil
		}
		p.close()
		if err != nil {
			return nil, err
		}
		// The world has moved on: judge and resolve again.
		if p, err = r.prepare(); err == nil {
			return p, nil
		}
		r.release()
		if askable(err) == nil {
			return nil, err
		}
	}
}

// maxResets bounds how often a sandbox may be reset under a command before it
// starts: a client that resets in a loop gets the error.
const maxResets = 32

// prepared is a command that may start.
type prepared struct {
	dir     *os.File
	verdict guard.Verdict
	box     *sandbox.Sandbox
	policy  sandbox.Policy
	env     []string
	gate    *gateway // nil where the network is no proxy's
	token   string   // names the command to it

	launches []launch // one, or that of each command of a sequence
}

func (p *prepared) close() { _ = p.dir.Close() }

// prepare resolves, judges and plans; nothing has been started when it fails.
func (r *Run) prepare() (*prepared, error) {
	if err := r.stopped("guard"); err != nil {
		return nil, err
	}
	dir, err := directory(r.folders, r.req.Cwd)
	if err != nil {
		return nil, err
	}
	p := &prepared{dir: dir}
	if err := r.plan(p); err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

// directory opens the cwd. That it is not there, or may not be entered, is the
// request's fault; that the machine has no descriptor left is nobody's, and no bug.
func directory(f *workspace.Set, cwd string) (*os.File, error) {
	dir, err := f.Dir(cwd)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.ENAMETOOLONG):
		return nil, &ParamError{Path: "/cwd", Expected: "a directory that exists and may be entered", Got: err.Error()}
	case sandbox.Exhausted(err):
		return nil, &sandbox.SetupError{Stage: "working directory", Err: err}
	}
	return dir, err
}

func (r *Run) plan(p *prepared) (err error) {
	e := r.engine
	var ask *ApprovalError
	p.verdict, err = e.judge(r.req, r.folders, p.dir.Name())
	r.record(p.dir.Name(), p.verdict)
	if err != nil && (!e.asks(r.req) || !errors.As(err, &ask)) {
		return err
	}
	if p.policy, err = e.policy(r.req.Sandbox, r.folders, p.dir.Name()); err != nil {
		return err
	}
	if ask != nil {
		if err := r.consent(ask, p); err != nil {
			return err
		}
	}
	caches, err := e.cacheEnv(p.policy)
	if err != nil {
		return err
	}
	if err := e.outputs.open(); err != nil {
		return &sandbox.SetupError{Stage: "saved outputs", Err: err}
	}
	if err := e.place(p); err != nil {
		return err
	}
	p.env = e.env(r.req, p.dir.Name(), p.policy, caches, p.box, p.token)
	p.launches, err = e.launches(r.req, p.verdict, p.dir.Name(), p.env)
	e.mu.Lock()
	r.cwd, r.mode = p.dir.Name(), p.policy.Mode
	e.mu.Unlock()
	return err
}

func (r *Run) stopped(phase string) error {
	if r.ctx.Err() != nil {
		return &CancelledError{Phase: phase, Why: r.reason()}
	}
	return nil
}

// info describes the run; the caller holds engine.mu.
func (r *Run) info() Info {
	i := Info{
		ID: r.req.ID, State: r.state, Description: r.req.Description, Command: r.req.text().String(),
		Cwd: r.cwd, PID: r.pid, StartedAt: r.started, Mode: r.mode, SaveAs: r.req.Output.SaveAs,
	}
	for _, s := range r.streams {
		i.TotalBytes += s.spool.size()
	}
	return i
}
