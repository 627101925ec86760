package executor

import (
	"math"
	"time"

	"github.com/pillion-sidecar/pillion/executor/prompt"
	"github.com/pillion-sidecar/pillion/sandbox"
)

// InputKind is how input is read.
type InputKind = prompt.Kind

// The kinds of InputKind.
const (
	InputLine   = prompt.Line
	InputHidden = prompt.Hidden
	InputKey    = prompt.Key
)

// TellsWaiting says whether Request.TellWaiting does anything on this platform.
const TellsWaiting = prompt.Supported

// Waiting says that a command waits for its input. It comes again when that was answered
// and more is asked for, or when another process asks.
type Waiting struct {
	ID      string
	Kind    InputKind
	Prompt  string // the last line of its output, where that is not finished
	Process string // the program that reads
	PID     int
}

// A command is looked at once it has been quiet for a moment, and then about ten times a
// second, for at most a twentieth of the time.
const (
	waitQuiet = 100 * time.Millisecond
	waitAgain = 50 * time.Millisecond // two looks that see the same are one that is sure
	waitSpare = 20
)

// waits finds out whether a step waits for input.
type waits struct {
	*step
	source prompt.Input
	limit  time.Duration // that it may wait; 0: no limit
	seen   prompt.Blocked
	told   question
	at     time.Time // when that was reported
	looked time.Time // when it was last found to wait on
	spoke  *stream   // that the last prompt was on, which ended at upTo
	upTo   int64
}

// question identifies a wait.
type question struct {
	pid     int
	answers int64 // that were given before it
}

// watches looks whether the command waits, nil where nobody asked for it, or nothing can
// ever answer.
func (s *step) watches(c sandbox.Command) func() {
	limit := s.engine.conf.Limits.InputWait
	if !prompt.Supported || s.input == nil || !s.input.open || !s.req.TellWaiting && limit == 0 {
		return nil
	}
	source, err := prompt.Of(c.Stdin, c.Terminal)
	if err != nil {
		return nil // it is only not reported
	}
	return func() { s.watchInput(&waits{step: s, source: source, limit: limit}) }
}

// watchInput looks until the main child has ended.
func (s *step) watchInput(w *waits) {
	for next := waitQuiet; ; {
		t := time.NewTimer(next)
		select {
		case <-s.exited:
			t.Stop()
			return
		case <-t.C:
		}
		began := time.Now()
		next = w.look()
		next = max(next, waitSpare*time.Since(began))
	}
}

// look takes a look where there is anything to tell, and returns when to take the next.
func (w *waits) look() time.Duration {
	before := w.seen
	w.seen = prompt.Blocked{}
	answers, last, empty := w.input.idle()
	_, output := w.newest()
	for _, t := range []time.Time{w.began, output} {
		if t.After(last) {
			last = t
		}
	}
	switch rest := waitQuiet - time.Since(last); {
	case rest > 0:
		return rest
	case !empty, w.known(answers, last):
		return waitQuiet
	}
	now, waits := w.source.Look(w.proc.Pid())
	kind, taken := w.source.Kind(w.stdin)
	switch {
	case !waits || !taken:
		return waitQuiet
	case now != before:
		w.seen = now
		return waitAgain
	}
	w.found(now, kind, answers)
	return waitQuiet
}

// known reports that nothing has moved since it was reported that it waits, which it may.
func (w *waits) known(answers int64, last time.Time) bool {
	return w.told.pid != 0 && w.told.answers == answers && !last.After(w.looked) &&
		(w.limit == 0 || time.Since(w.at) < w.limit)
}

func (w *waits) found(b prompt.Blocked, kind prompt.Kind, answers int64) {
	w.looked = time.Now()
	if asked := (question{b.PID, answers}); asked != w.told {
		w.told, w.at = asked, w.looked
		w.life.waiting.Store(&Waiting{
			ID: w.req.ID, Kind: kind, Prompt: w.prompt(), Process: b.Process, PID: b.PID,
		})
		w.streams[0].poke()
		return
	}
	if w.limit > 0 && time.Since(w.at) >= w.limit {
		w.Cancel(NoInput, false)
	}
}

// newest is where the newest byte came, nil and the zero time where none can.
func (s *step) newest() (last *inlet, at time.Time) {
	for _, in := range s.inlets {
		if t := in.quiet(); last == nil || t.After(at) {
			last, at = in, t
		}
	}
	return last, at
}

// prompt is on the stream that was written to last, after the prompt before.
func (w *waits) prompt() string {
	last, _ := w.newest()
	size := last.stream.spool.Size()
	from := max(last.from, size-prompt.TailBytes)
	if last.stream == w.spoke {
		from = max(from, w.upTo)
	}
	w.spoke, w.upTo = last.stream, size
	return prompt.Text(last.stream.slice(from, size))
}

// ask reports that the command waits, after its output.
func (p *pump) ask() {
	if w := p.waiting.Swap(nil); w != nil && !p.dead {
		p.dead = p.sink.Waiting(*w) != nil
	}
}

// tellWaiting does so of a command whose output is not streamed.
func (l *life) tellWaiting(to Sink) (err error) {
	for _, s := range l.streams {
		s.mark.Store(math.MaxInt64) // its output doesn't count
	}
	for over := false; !over && err == nil; over = pause(l.wake, nil, l.ended) {
		if w := l.waiting.Swap(nil); w != nil {
			err = to.Waiting(*w)
		}
	}
	return err
}
