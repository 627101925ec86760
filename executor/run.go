package executor

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

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
	shorter  chan struct{} // says to the waiting goroutine that grace has changed

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

	burden int64 // of its request

	// under engine.mu
	state   State
	pid     int
	started time.Time
	cwd     string
	mode    sandbox.Mode
	in      string // the name of the sandbox it has processes in, "" without any
	streams []*stream
	proc    *sandbox.Process // nil before it starts
	place   *sandbox.Sandbox // where it runs, likewise
	screen  *tty             // its terminal, nil without one

	borrower *life // that has the ssh agent, nil when it is over

	input  *input // nil without any
	credit *credit
}

func newRun(e *Engine, r Request, f *workspace.Set, revision int) *Run {
	run := &Run{engine: e, req: r, folders: f, revision: revision, hard: make(chan struct{}), shorter: make(chan struct{}, 1), up: make(chan struct{}), state: StateQueued, cwd: r.Cwd, input: newInput(r.Stdin, r.StdinOpen || r.Terminal != nil)}
	run.ctx, run.cancel = context.WithCancelCause(context.Background())
	run.credit = newCredit(r.Output.Window, e.conf.Limits.AckWait)
	run.grace.Store(int64(cmp.Or(r.KillGrace, e.conf.Limits.KillGrace)))
	return run
}

// ID is the execId, minted where the request had none.
func (r *Run) ID() string { return r.req.ID }

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

// info describes the run; the caller holds engine.mu.
func (r *Run) info() Info {
	i := Info{
		ID: r.req.ID, State: r.state, Description: r.req.Description, Command: r.req.text().String(),
		Cwd: r.cwd, PID: r.pid, StartedAt: r.started, Mode: r.mode, SaveAs: r.req.Output.SaveAs,
	}
	for _, s := range r.streams {
		i.TotalBytes += s.spool.Size()
	}
	return i
}
