package executor

import "time"

// aheadMost bounds what is delivered by the goroutine that has read it, in bytes.
// What is more is worth a hop to the pump, and reading goes on meanwhile.
const aheadMost = 4 << 10

// ahead delivers first bytes while run rests, and reports whether it did: waking
// run's goroutine takes longer than all the rest of their way. The reader must not
// wait for a client, so it goes ahead only where nothing else is on its way there.
// What follows is gathered, as behind other bytes, until run wakes.
func (p *pump) ahead(s *stream) bool {
	if !p.mu.TryLock() {
		return false
	}
	defer p.mu.Unlock()
	if !p.resting || p.dead || s.spool.size()-s.next > aheadMost || p.refusals.pending() || !p.sink.Free() {
		return false
	}
	p.credit.look()
	sent := false
	// A bug of the sink must end the command, not the reader of its pipe: run meets it.
	if p.broken.Try(func() { sent = p.deliver(s, false) }); !sent || p.dead {
		return false
	}
	p.look()
	if p.later == nil {
		p.later = time.AfterFunc(p.flush, s.poke)
	} else {
		p.later.Reset(p.flush)
	}
	return !p.expect(int64(p.most))
}
