package executor

import (
	"errors"
	"os"
	"syscall"
	"time"

	"github.com/sourcegraph/conc"

	"github.com/pillion-sidecar/pillion/sandbox"
)

// life is a command from the moment its process exists to the moment nothing of
// it is left.
type life struct {
	*Run
	prepared
	proc    *sandbox.Process
	stdin   *os.File // our end, nil without stdin
	release func()   // gives the slot back, once
	wake    chan struct{}
	streams []*stream
	scope   conc.WaitGroup

	// set before ended is closed
	exited     chan struct{} // the main child has ended
	ended      chan struct{} // the tree is gone and the streams are over
	status     sandbox.ExitStatus
	lost       error
	background []Background
	limit      sandbox.Limit // that ended it, "" for none
	violations []sandbox.Violation
	violated   int
	saved      *Saved // what is kept by name, nil for nothing
	duration   time.Duration
}

// spawn starts the process. Whatever fails here, nothing runs.
func (r *Run) spawn(p *prepared, release func()) (*life, error) {
	l := &life{
		Run: r, prepared: *p, release: release, wake: make(chan struct{}, 1),
		exited: make(chan struct{}), ended: make(chan struct{}),
	}
	c, err := l.command()
	if err != nil {
		return nil, &sandbox.SetupError{Stage: "pipes", Err: err}
	}
	if !r.beginTree(l.policy.SandboxName()) {
		l.closeEnds(c)
		return nil, &CancelledError{Phase: "spawn", Why: r.reason()}
	}
	if l.proc, err = p.box.Start(r.ctx, c); err != nil {
		r.endTree()
		l.closeOurs()
		if r.ctx.Err() != nil && errors.Is(err, r.ctx.Err()) {
			return nil, &CancelledError{Phase: "spawn", Why: r.reason()}
		}
		return nil, err
	}
	r.engine.mu.Lock()
	r.state, r.pid, r.started, r.streams, r.proc = StateRunning, l.proc.Pid(), time.Now(), l.streams, l.proc
	close(r.up)
	r.engine.mu.Unlock()
	for _, s := range l.streams {
		l.scope.Go(s.drain)
	}
	l.input.begin()
	l.scope.Go(func() { l.input.feed(l.entry()) })
	l.scope.Go(l.guardTime)
	l.scope.Go(l.await)
	return l, nil
}

// beginTree counts a process tree, unless the run or the engine is stopping:
// Stop must not miss one.
func (r *Run) beginTree(name string) bool {
	e := r.engine
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.stopping != "" || r.ctx.Err() != nil {
		return false
	}
	e.trees++
	r.in = name
	return true
}

func (r *Run) endTree() {
	e := r.engine
	e.mu.Lock()
	defer e.mu.Unlock()
	e.trees--
	r.in = ""
	e.ended.Broadcast()
}

// command makes the pipes; the sandbox takes the child's ends over.
func (l *life) command() (sandbox.Command, error) {
	c := sandbox.Command{ID: l.req.ID, Path: l.path, Argv: l.argv, Env: l.env, Dir: l.dir}
	if l.req.Terminal != nil {
		return l.terminal(c)
	}
	var err error
	if l.input == nil {
		c.Stdin, err = os.Open(os.DevNull)
	} else {
		c.Stdin, l.stdin, err = inputPipe()
	}
	if err != nil {
		return c, l.undo(c, err)
	}
	if c.Stdout, err = l.addStream(Stdout); err != nil {
		return c, l.undo(c, err)
	}
	if l.req.Output.Merge {
		c.Stderr, err = duplicate(c.Stdout)
	} else {
		c.Stderr, err = l.addStream(Stderr)
	}
	if err != nil {
		return c, l.undo(c, err)
	}
	return c, nil
}

func (l *life) addStream(name Stream) (*os.File, error) {
	r, w, err := outputPipe()
	if err != nil {
		return nil, err
	}
	l.keep(name, r)
	return w, nil
}

// keep makes a stream of what comes out of a pipe or a terminal.
func (l *life) keep(name Stream, r *os.File) {
	kept := l.spoolOf(l.req.Output)
	l.streams = append(l.streams, &stream{
		name: name, pipe: r, wake: l.wake, over: make(chan struct{}), stuck: make(chan struct{}), lift: make(chan struct{}),
		spool: kept, lost: l.overflow(kept),
	})
	if l.req.Output.SaveAs != "" {
		kept.dir = l.engine.outputs.dir // where it can be given a name
	}
}

func (l *life) undo(c sandbox.Command, err error) error {
	l.closeEnds(c)
	return err
}

func (l *life) closeEnds(c sandbox.Command) {
	for _, f := range []*os.File{c.Dir, c.Stdin, c.Stdout, c.Stderr} {
		if f != nil {
			_ = f.Close()
		}
	}
	l.closeOurs()
}

func (l *life) closeOurs() {
	if l.stdin != nil {
		_ = l.stdin.Close()
	}
	for _, s := range l.streams {
		_ = s.pipe.Close()
	}
}

// guardTime is the kill path: it sees only that the context is done.
func (l *life) guardTime() {
	if limit := l.timeout(); limit > 0 {
		t := time.AfterFunc(limit, func() { l.Cancel(TimedOut, false) })
		defer t.Stop()
	}
	select {
	case <-l.exited:
		return
	case <-l.ctx.Done():
	}
	if why := l.reason(); why == Exited || why == SandboxLost {
		return
	}
	_ = l.proc.Signal(syscall.SIGTERM)
	grace := time.NewTimer(time.Duration(l.grace.Load()))
	defer grace.Stop()
	select {
	case <-l.exited:
	case <-grace.C:
	case <-l.hard:
	}
	_ = l.proc.Kill()
}

func (l *life) timeout() time.Duration {
	if l.req.Timeout == 0 {
		return l.engine.conf.Limits.DefaultTimeout
	}
	return l.req.Timeout
}
