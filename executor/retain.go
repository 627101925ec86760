package executor

import (
	"slices"
	"sync"
	"time"

	"github.com/pillion-sidecar/pillion/executor/spool"
)

// shelf keeps the output of finished commands until it is too old, there are too
// many, or a running command needs the room. The command that ended first goes
// first. One timer serves all of them.
//
// Its mutex may be taken with Engine.mu and with the mutex of a running
// command's spool held, and takes those of finished ones only.
type shelf struct {
	mu     sync.Mutex
	age    time.Duration  // 0 keeps nothing
	most   int            // 0 keeps nothing
	kept   ordered[*kept] // in the order of their ends
	gone   ordered[expired]
	timer  *time.Timer
	due    time.Time // when the timer fires, or the zero time
	closed bool
}

// kept is a finished command whose output can be read.
type kept struct {
	info    Info
	streams []*stream
}

// expired is a finished command whose output can't be read any more.
type expired struct {
	id    string
	total map[Stream]int64
	at    time.Time
}

// maxDeparted bounds the memory of ids: an older one is as unknown as one that never
// was.
const maxDeparted = 1024

// SetLimits holds for the commands to come; what is kept stays until its time.
func (s *shelf) setLimits(age time.Duration, most int) {
	s.mu.Lock()
	s.age, s.most = age, most
	out := s.surplus()
	s.mu.Unlock()
	closeAll(out)
}

// until is when the output of a command that ends now expires; the zero time is
// at once.
func (s *shelf) until() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.age <= 0 || s.most <= 0 {
		return time.Time{}
	}
	return time.Now().Add(s.age)
}

// add puts a finished command on the shelf. The caller closes what has to leave,
// which may be this very command.
func (s *shelf) add(k *kept) (out []*kept) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || k.info.Expires.IsZero() {
		s.remember(k)
		return []*kept{k}
	}
	s.kept.add(k.info.ID, k)
	out = s.surplus()
	s.wind(k.info.Expires)
	return out
}

// surplus takes off what is over the number that may stay. Called with mu held.
func (s *shelf) surplus() (out []*kept) {
	for s.kept.len() > s.most {
		out = append(out, s.remove(s.kept.oldest()))
	}
	return out
}

// knows reports a command that has ended, not too long ago.
func (s *shelf) knows(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, gone := s.gone.find(id)
	_, here := s.kept.find(id)
	return gone || here
}

// remove takes one off and remembers its id. Called with mu held.
func (s *shelf) remove(k *kept) *kept {
	s.kept.take(k.info.ID)
	s.remember(k)
	return k
}

func (s *shelf) remember(k *kept) {
	e := expired{id: k.info.ID, total: map[Stream]int64{}, at: time.Now()}
	for _, st := range k.streams {
		e.total[st.name] = st.spool.Size()
	}
	s.gone.add(e.id, e)
	if s.gone.len() > maxDeparted {
		s.gone.take(s.gone.oldest().id)
	}
}

// wind makes the timer fire by the end of a retention, whichever comes first: it may
// have changed between two commands. One that was released may be what it fires for.
// Called with mu held.
func (s *shelf) wind(end time.Time) {
	switch {
	case !s.due.IsZero() && !end.Before(s.due):
		return
	case s.timer != nil:
		s.timer.Stop()
	}
	s.due = end
	s.timer = time.AfterFunc(time.Until(end), s.sweep)
}

// sweep is the timer's: it evicts what has been there long enough.
func (s *shelf) sweep() {
	s.mu.Lock()
	var out []*kept
	s.due = time.Time{}
	now := time.Now()
	for k := range s.kept.all() {
		switch {
		case !k.info.Expires.After(now):
			out = append(out, s.remove(k))
		case !s.closed:
			s.wind(k.info.Expires)
		}
	}
	s.mu.Unlock()
	closeAll(out)
}

// reclaim gives up the oldest output that holds disk space, and reports whether
// there was any.
func (s *shelf) reclaim() bool {
	s.mu.Lock()
	var out []*kept
	for k := range s.kept.all() {
		if k.holdsSpace() {
			out = append(out, s.remove(k))
			break
		}
	}
	s.mu.Unlock()
	closeAll(out)
	return len(out) > 0
}

func (k *kept) holdsSpace() bool {
	return slices.ContainsFunc(k.streams, func(st *stream) bool { return st.spool.Spare() > 0 })
}

func (s *shelf) has(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.kept.find(id)
	return ok
}

// infos describes what is kept, in the order of their ends.
func (s *shelf) infos() []Info {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]Info, 0, s.kept.len())
	for k := range s.kept.all() {
		out = append(out, k.info)
	}
	return out
}

// release forgets one as if it had never been.
func (s *shelf) release(id string) bool {
	s.mu.Lock()
	k, ok := s.kept.take(id)
	if ok {
		s.gone.take(id)
	}
	s.mu.Unlock()
	if ok {
		closeAll([]*kept{k})
	}
	return ok
}

// close frees everything; nothing is kept from now on.
func (s *shelf) close() {
	s.mu.Lock()
	s.closed = true
	if s.timer != nil {
		s.timer.Stop()
	}
	out := slices.Collect(s.kept.all())
	s.kept = ordered[*kept]{}
	s.mu.Unlock()
	closeAll(out)
}

func closeAll(list []*kept) {
	for _, k := range list {
		for _, st := range k.streams {
			st.spool.Close()
		}
	}
}

// What happens when a stream's spool is full: the values of
// Request.Output.OnSpoolFull.
const (
	DropMiddle = spool.DropMiddle
	Block      = spool.Block
	Terminate  = spool.Terminate
)

// spoolOf is an empty spool as a request wants it: it may lower the limits, and
// the ring is at most half of what is kept.
func (l *life) spoolOf(o OutputRequest) *spool.Spool {
	lim := l.engine.conf.Limits
	s := &spool.Spool{
		Dir: l.engine.conf.SpoolDir, Max: lim.SpoolMaxBytes, Tail: lim.SpoolTailBytes,
		OnFull: o.OnSpoolFull, Budget: l.engine.spools,
	}
	if o.SpoolMaxBytes > 0 && o.SpoolMaxBytes < s.Max {
		s.Max = o.SpoolMaxBytes
		s.Tail = min(s.Tail, s.Max/2)
	}
	if o.SpoolTailBytes > 0 {
		s.Tail = min(s.Tail, o.SpoolTailBytes)
	}
	return s
}

// overflow is what a stream does when its spool has not kept everything, nil for
// nothing.
func (l *life) overflow(s *spool.Spool) func() {
	if s.OnFull != Terminate {
		return nil
	}
	return sync.OnceFunc(func() { l.Cancel(OutputLimit, false) })
}

// exceeded says that a command that may not go on with a full spool did. It may
// have ended by itself before anybody saw that.
func (l *life) exceeded() bool {
	for _, s := range l.streams {
		if from, _, total := s.spool.Hole(); s.spool.OnFull == Terminate && from < total {
			return true
		}
	}
	return false
}

// crowded refuses a command where the output of running ones leaves no room for
// its own. Called with mu held.
func (e *Engine) crowded() error {
	if !e.spools.Filled(0) || !e.spools.Filled(e.shelf.spare()) {
		return nil // mostly by the first: the second looks at all that is kept
	}
	err := e.busy()
	err.Spooled = e.spools.Used()
	return err
}

// spare is the disk space that evicting everything would free.
func (s *shelf) spare() (n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for k := range s.kept.all() {
		for _, st := range k.streams {
			n += st.spool.Spare()
		}
	}
	return n
}
