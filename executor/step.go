package executor

import (
	"cmp"
	"errors"
	"os"
	"syscall"
	"time"

	"github.com/pillion-sidecar/pillion/executor/spool"
	"github.com/pillion-sidecar/pillion/sandbox"
)

// step is one process of a command, from its start until all of it has ended.
type step struct {
	*life
	index  int
	proc   *sandbox.Process
	stdin  *os.File // our end, nil without stdin
	inlets []*inlet
	began  time.Time
	exited chan struct{} // the main child has ended

	status     sandbox.ExitStatus
	exit       time.Time
	lost       error  // of the sandbox, or why it could not be started
	reason     Reason // why it ended, as far as was known at its end
	more       bool   // the next one follows
	background []Background
	limit      sandbox.Limit // that ended it, "" for none
	violations []sandbox.Violation
	violated   int
	output     map[Stream]Range
	kept       string // names what is kept of what it changed, "" for nothing
}

// start starts the process of that index. Whatever fails, it does not run.
func (l *life) start(index int) (*step, error) {
	s := &step{life: l, index: index, exited: make(chan struct{}), output: map[Stream]Range{}}
	c, err := s.command()
	if err != nil {
		return nil, &sandbox.SetupError{Stage: "pipes", Err: err}
	}
	watch := s.watches(c)
	if s.proc, err = l.box.Start(l.ctx, c); err != nil {
		s.closeOurs()
		if l.ctx.Err() != nil && errors.Is(err, l.ctx.Err()) {
			return nil, &CancelledError{Phase: "spawn", Why: l.reason()}
		}
		return nil, l.engine.notSeen(err, l.policy)
	}
	s.up()
	for _, in := range s.inlets {
		l.scope.Go(in.drain)
	}
	l.input.begin()
	l.scope.Go(func() { l.input.feed(s.entry()) })
	l.scope.Go(s.guard)
	if watch != nil {
		l.scope.Go(watch)
	}
	l.steps = append(l.steps, s)
	return s, nil
}

// up makes the process the one that signals go to.
func (s *step) up() {
	r := s.Run
	r.engine.mu.Lock()
	defer r.engine.mu.Unlock()
	s.began = time.Now()
	r.pid, r.proc, r.place = s.proc.Pid(), s.proc, s.box
	if r.state != StateRunning {
		r.state, r.started, r.streams = StateRunning, s.began, s.streams
		close(r.up)
	}
}

// command makes the pipes; the sandbox takes the child's ends over.
func (s *step) command() (c sandbox.Command, err error) {
	p := s.launches[s.index]
	c = sandbox.Command{ID: s.req.ID, Path: p.path, Argv: p.argv, Env: s.env, Dir: s.dir, Listens: s.hear}
	c.Entry, c.EntryMeta = s.journalEntry()
	c.KeepAll = s.verdict.Loses()
	if s.refs != nil {
		c.Nears = s.refs.Near
	}
	if !s.last() {
		// The directory itself, for all of them: at its path another one may be by the
		// time of the next.
		if c.Dir, err = spool.Duplicate(s.dir); err != nil {
			return c, s.undo(c, err)
		}
	}
	if s.req.Terminal != nil {
		return s.terminal(c)
	}
	if s.input == nil {
		c.Stdin, err = os.Open(os.DevNull)
	} else {
		c.Stdin, s.stdin, err = spool.InputPipe()
	}
	if err != nil {
		return c, s.undo(c, err)
	}
	if c.Stdout, err = s.outlet(s.streams[0]); err != nil {
		return c, s.undo(c, err)
	}
	if s.req.Output.Merge {
		c.Stderr, err = spool.Duplicate(c.Stdout)
	} else {
		c.Stderr, err = s.outlet(s.streams[1])
	}
	if err != nil {
		return c, s.undo(c, err)
	}
	return c, nil
}

func (s *step) last() bool { return s.index == len(s.launches)-1 }

// outlet is the end of a pipe to a stream that is the child's.
func (s *step) outlet(to *stream) (*os.File, error) {
	r, w, err := spool.OutputPipe()
	if err != nil {
		return nil, err
	}
	s.keep(to, r)
	return w, nil
}

// keep makes an inlet of the pipe or terminal that the output comes out of.
func (s *step) keep(to *stream, pipe *os.File) {
	s.inlets = append(s.inlets, &inlet{stream: to, pipe: pipe, from: to.spool.Size(), final: s.last(), done: make(chan struct{}), stuck: make(chan struct{}), lift: make(chan struct{})})
}

func (s *step) undo(c sandbox.Command, err error) error {
	for _, f := range []*os.File{c.Dir, c.Stdin, c.Stdout, c.Stderr} {
		if f != nil {
			_ = f.Close()
		}
	}
	s.closeOurs()
	return err
}

func (s *step) closeOurs() {
	if s.stdin != nil {
		_ = s.stdin.Close()
	}
	for _, in := range s.inlets {
		_ = in.pipe.Close()
	}
}

// guard is the kill path: it sees only that the context is done. One that is done
// before the process came up finds it all the same.
func (s *step) guard() {
	select {
	case <-s.exited:
		return
	case <-s.ctx.Done():
	}
	if why := s.Run.reason(); why == Exited || why == SandboxLost {
		return
	}
	s.request()
	_ = s.proc.Kill()
}

// request asks the process to end and gives it the grace, unless it is to be killed
// at once: a handler of SIGTERM would have its say.
func (s *step) request() {
	select {
	case <-s.hard:
		return
	default:
	}
	_ = s.proc.Signal(syscall.SIGTERM)
	for asked := time.Now(); ; {
		grace := time.NewTimer(time.Duration(s.grace.Load()) - time.Since(asked))
		select {
		case <-s.exited:
		case <-grace.C:
		case <-s.hard:
		case <-s.shorter:
			grace.Stop()
			continue
		}
		grace.Stop()
		return
	}
}

// end is why the step ended, limits included.
func (s *step) end() Reason { return limited(s.reason, s.limit) }

// failed says that a sequence stops here, unless errors are to be ignored.
func (s *step) failed() bool {
	return s.lost != nil || s.status.Signal != 0 || s.status.Code != 0 || s.limit != ""
}

// conclude says why the process ended, now that it has. The first cause recorded
// is the command's; what comes after the last process is too late to be one.
func (s *step) conclude(status sandbox.ExitStatus, err error) {
	s.status, s.lost, s.limit, s.exit = status, err, status.Limit, time.Now()
	s.more = !s.last() && err == nil && (s.req.IgnoreErrors || !s.failed())
	switch {
	case err != nil:
		s.cancel(cause(SandboxLost))
	case !s.more:
		s.cancel(cause(Exited))
	}
	s.reason = cmp.Or(s.Run.reason(), Exited)
}
