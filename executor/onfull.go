package executor

import "sync"

// What happens when a stream's spool is full: the values of
// Request.Output.OnSpoolFull.
const (
	DropMiddle = "dropMiddle" // the beginning and the newest bytes are kept
	Block      = "block"      // the pipe is not read any more, so the command waits in its write(2)
	Terminate  = "terminate"  // the command is ended; the first bytes are kept
)

// spoolOf is an empty spool as a request wants it.
func (l *life) spoolOf(o OutputRequest) *spool {
	lim := l.engine.conf.Limits
	s := &spool{
		dir: l.engine.conf.SpoolDir, max: lim.SpoolMaxBytes, tail: lim.SpoolTailBytes,
		onFull: o.OnSpoolFull, budget: l.engine.spools,
	}
	if s.onFull == Terminate {
		s.tail = 0
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
