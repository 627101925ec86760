package executor

import (
	"math"
	"time"
)

// look notes how far the streams are before a round: what comes later is news.
func (p *pump) look() {
	for _, s := range p.streams {
		s.seen = s.spool.size()
	}
}

// wait waits for something to send; true says that the command has ended. First
// bytes, also those after a silence, go out at once. What follows others is
// gathered for the flush time, or until it fills a chunk: gathering is for the
// small ones.
func (p *pump) wait(sent bool, wake <-chan struct{}, ended <-chan struct{}) bool {
	select {
	case <-wake: // of what the round has met
	default:
	}
	var flush <-chan time.Time
	least := int64(1)
	if sent {
		t := time.NewTimer(p.flush)
		defer t.Stop()
		flush, least = t.C, int64(p.most)
	}
	if p.expect(least) {
		return false
	}
	p.resting = flush == nil
	p.mu.Unlock()
	over := pause(wake, flush, ended)
	p.mu.Lock()
	p.resting = false
	return over
}

// expect asks each stream to wake the pump when at least that many bytes can be
// sent, and reports one that has them already, or a refusal to tell. Half a character that a round has
// held back is no news.
func (p *pump) expect(least int64) (there bool) {
	there = p.refusals.pending()
	for _, s := range p.streams {
		mark := max(s.next+least, s.seen+1)
		if s.next >= p.budget { // the rest is one gap at the end
			mark = math.MaxInt64
		}
		s.mark.Store(mark)
		there = there || s.spool.size() >= mark
	}
	return there
}

func pause(wake <-chan struct{}, flush <-chan time.Time, ended <-chan struct{}) (over bool) {
	select {
	case <-wake:
	case <-flush:
	case <-ended:
		return true
	}
	return false
}
