package executor

import (
	"sync/atomic"
	"time"

	"github.com/sourcegraph/conc"

	"github.com/pillion-sidecar/pillion/executor/refs"
	"github.com/pillion-sidecar/pillion/sandbox"
)

// life is a command from the moment its process exists to the moment all of it has ended.
// A sequence has one life, and a step for each of its commands.
type life struct {
	*Run
	prepared
	release func() // gives the slot back, once
	unhold  func() // lets go of the sandbox
	clock   *time.Timer
	wake    chan struct{}
	streams []*stream
	first   int // pid of the first process; a sequence may be at another one by now
	scope   conc.WaitGroup
	before  time.Time // anything of it ran, which may be long before we hear that it does

	// set before ended is closed
	ended      chan struct{} // the trees are gone and the streams are over
	steps      []*step       // that were started, and one that could not be
	background []Background
	violations []sandbox.Violation
	violated   int
	lost       []string // of the private home
	undoID     string   // names what is kept of all steps
	refs       *refs.Watch
	saved      *Saved // what is kept by name, nil for nothing
	duration   time.Duration

	refusals  refusals
	waiting   atomic.Pointer[Waiting] // for input, which was not reported yet
	questions liveQuestions
	deaf      func() // to what is looked up in its sandbox
}

// spawn starts the process, of a sequence the first one. Whatever fails here,
// nothing runs.
func (r *Run) spawn(p *prepared, release func()) (*life, error) {
	l := &life{Run: r, prepared: *p, release: release, wake: make(chan struct{}, 1), ended: make(chan struct{}), before: time.Now()}
	var err error
	if l.unhold, err = l.hold(); err != nil {
		p.close()
		return nil, err
	}
	if !r.beginTree(l.policy.SandboxName()) {
		l.unhold()
		p.close()
		return nil, &CancelledError{Phase: "spawn", Why: r.reason()}
	}
	for _, name := range r.req.streams() {
		l.streams = append(l.streams, l.newStream(name))
	}
	l.gate.enter(l)
	l.deaf = l.box.Lookups(l.lookedUp)
	l.borrow(l)
	l.watchRefs()
	first, err := l.start(0)
	if err != nil {
		l.unwatchRefs()
		l.gate.leave(l)
		l.deaf()
		l.borrow(nil)
		r.endTree()
		l.unhold()
		p.close()
		return nil, err
	}
	l.first = first.proc.Pid()
	if limit := l.timeout(); limit > 0 {
		l.clock = time.AfterFunc(limit, func() { l.Cancel(TimedOut, false) })
	}
	l.scope.Go(func() { l.await(first) })
	return l, nil
}

// hold keeps the sandbox between the commands of a sequence.
func (l *life) hold() (func(), error) {
	if len(l.launches) == 1 {
		return func() {}, nil
	}
	return l.box.Hold()
}

// await follows the command to its end.
func (l *life) await(s *step) {
	defer l.endTree()
	for s != nil {
		s.await()
		l.took(s)
		s = l.next(s)
	}
	if l.clock != nil {
		l.clock.Stop()
	}
	l.gate.leave(l)
	l.deaf()
	l.borrow(nil)
	rows, total := l.refusals.end()
	l.violations, l.violated = sandbox.JoinViolations(rows, l.violations), l.violated+total
	l.judgeRefs()
	_ = l.dir.Close()
	l.lost = l.box.Stray(l.before)
	l.unhold()
	for _, s := range l.streams {
		s.end()
	}
	l.save()
	l.release() // a client that is slow to read must not hold up the next command
	close(l.ended)
}

// took adds what a step came to.
func (l *life) took(s *step) {
	l.duration = s.exit.Sub(l.startedAt())
	l.background = append(l.background, s.background...)
	l.violations = sandbox.JoinViolations(l.violations, s.violations)
	l.violated += s.violated
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

func (l *life) newStream(name Stream) *stream {
	kept := l.spoolOf(l.req.Output)
	if l.req.Output.SaveAs != "" {
		kept.Dir = l.engine.outputs.dir // where it can be given a name
	}
	return &stream{name: name, wake: l.wake, over: make(chan struct{}), spool: kept, lost: l.overflow(kept)}
}

func (l *life) startedAt() time.Time {
	l.engine.mu.Lock()
	defer l.engine.mu.Unlock()
	return l.started
}

func (l *life) timeout() time.Duration {
	if l.req.Timeout == 0 && l.req.Watched {
		return 0
	}
	if l.req.Timeout == 0 {
		return l.engine.conf.Limits.DefaultTimeout
	}
	return l.req.Timeout
}

// await follows the process to its end: main child, drain, what it left.
func (s *step) await() {
	s.conclude(s.proc.Wait())
	close(s.exited)
	s.awaitDrain()
	left, err := s.proc.End(s.leaves())
	if err != nil && s.lost == nil {
		s.lost = err
	}
	s.limit = s.proc.Limit()
	s.violations, s.violated = s.proc.Violations()
	stays := false
	for _, p := range left {
		bg := Background{PID: p.PID, Name: p.Name, Fate: FateKilled}
		if p.Left {
			bg.Fate, stays = FateLeft, true
		}
		s.background = append(s.background, bg)
	}
	s.input.end(WriteFinished)
	if s.stdin != nil {
		_ = s.stdin.Close() // unblocks feed
	}
	s.awaitInlets(stays)
}

// awaitDrain waits until the output is complete. When a grandchild holds the
// pipe, even a silent one, it waits only until the pipes have been quiet for
// DrainIdle, and at most DrainMax; what comes later on such a stream is what the
// leftovers wrote before they were killed.
func (s *step) awaitDrain() {
	begin := time.Now()
	for _, in := range s.inlets {
		for !s.awaitInlet(in, begin) {
			if s.drainDeadline(begin).After(time.Now()) {
				continue // there was another write meanwhile
			}
			in.mu.Lock()
			in.cut = true
			in.mu.Unlock()
			break
		}
	}
}

// awaitInlet waits for an inlet's end, until the deadline as it is now.
func (s *step) awaitInlet(in *inlet, begin time.Time) bool {
	t := time.NewTimer(time.Until(s.drainDeadline(begin)))
	defer t.Stop()
	select {
	case <-in.done:
		return true
	case <-in.stuck: // not before the tree is gone
		return true
	case <-t.C:
	}
	select { // both at once: it did end by itself
	case <-in.done:
		return true
	default:
		return false
	}
}

func (s *step) drainDeadline(begin time.Time) time.Time {
	lim := s.engine.conf.Limits
	quiet := begin
	if _, last := s.newest(); last.After(quiet) {
		quiet = last
	}
	idle, most := quiet.Add(lim.DrainIdle), begin.Add(lim.DrainMax)
	if idle.Before(most) {
		return idle
	}
	return most
}

// awaitInlets lets the readers reach the end of the pipes, which comes at once
// where no writer is left. Should one have been passed out of the tree, the read
// ends give up; so they do at once where writers stay, which then get SIGPIPE. A
// pipe that was not read for want of room is read now.
func (s *step) awaitInlets(stays bool) {
	lim := s.engine.conf.Limits
	for _, in := range s.inlets {
		wait := lim.DrainMax
		if stays {
			wait = in.backlog(lim.DrainIdle)
		}
		_ = in.pipe.SetReadDeadline(time.Now().Add(wait))
		close(in.lift)
	}
	for _, in := range s.inlets {
		<-in.done
		in.settle()
		s.output[in.stream.name] = Range{From: in.from, To: in.stream.spool.Size()}
	}
}
