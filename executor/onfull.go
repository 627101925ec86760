package executor

import "sync"

// What happens when a stream's spool is full: the values of
// Request.Output.OnSpoolFull.
const (
	DropMiddle = "dropMiddle" // the beginning and the newest bytes are kept
	Block      = "block"      // the pipe is not read any more, so the command waits in its write(2)
	Terminate  = "terminate"  // the command is ended; the first bytes are kept
)

// spoolOf is an empty spool as a request wants it: it may lower the limits, and
// the ring is at most half of what is kept.
func (l *life) spoolOf(o OutputRequest) *spool {
	lim := l.engine.conf.Limits
	s := &spool{
		dir: l.engine.conf.SpoolDir, max: lim.SpoolMaxBytes, tail: lim.SpoolTailBytes,
		onFull: o.OnSpoolFull, budget: l.engine.spools,
	}
	if o.SpoolMaxBytes > 0 && o.SpoolMaxBytes < s.max {
		s.max = o.SpoolMaxBytes
		s.tail = min(s.tail, s.max/2)
	}
	if o.SpoolTailBytes > 0 {
		s.tail = min(s.tail, o.SpoolTailBytes)
	}
	return s
}

// overflow is what a stream does when its spool has not kept everything, nil for
// nothing.
func (l *life) overflow(s *spool) func() {
	if s.onFull != Terminate {
		return nil
	}
	return sync.OnceFunc(func() { l.Cancel(OutputLimit, false) })
}

// exceeded says that a command that may not go on with a full spool did. It may
// have ended by itself before anybody saw that.
func (l *life) exceeded() bool {
	for _, s := range l.streams {
		if from, _, total := s.spool.hole(); s.spool.onFull == Terminate && from < total {
			return true
		}
	}
	return false
}

// pipeMost is what a pipe can hold: 64 KiB, or what the command has made of it
// (pipe(7), pipe-max-size).
const pipeMost = 1 << 20

// lift ends the waiting: the command has ended, and what it had written into the
// pipe is kept, too.
func (s *spool) lift() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lifted = true
	s.max += pipeMost
}

// lower takes it back, for the next command of several.
func (s *spool) lower() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lifted = false
	s.max -= pipeMost
}

// crowded refuses a command where the output of running ones leaves no room for
// its own. Called with mu held.
func (e *Engine) crowded() error {
	if !e.spools.filled(0) || !e.spools.filled(e.shelf.spare()) {
		return nil // mostly by the first: the second looks at all that is kept
	}
	err := e.busy()
	err.Spooled = e.spools.used()
	return err
}

// spare is the disk space that evicting everything would free.
func (s *shelf) spare() (n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for k := range s.kept.all() {
		for _, st := range k.streams {
			n += st.spool.spare()
		}
	}
	return n
}
