package executor

import (
	"sync"
	"time"
)

// credit bounds the output of a command that is on its way to the client: what was
// sent and not acknowledged is never more than the window. Waiting for more holds
// up nothing but these bytes, which are in the spool meanwhile.
type credit struct {
	window int64         // 0: no bound
	news   chan struct{} // buffered: there is more of it, or less patience

	mu       sync.Mutex
	sent     int64
	acked    int64
	seen     int64         // acked, when it was looked at
	patience time.Duration // for the next ack, once the command has ended
}

func newCredit(window int64, patience time.Duration) *credit {
	return &credit{window: window, patience: patience, news: make(chan struct{}, 1)}
}

// look is called before a round of deliveries: what comes later is news.
func (c *credit) look() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seen = c.acked
}

// left is how many of want bytes may be sent, and whether all that was sent is
// acknowledged.
func (c *credit) left(want int) (n int, idle bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.window == 0 {
		return want, true
	}
	return int(min(int64(want), c.window-(c.sent-c.acked))), c.sent == c.acked
}

// spend comes before the sending: the ack may come before that returns.
func (c *credit) spend(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sent += int64(n)
}

// ack takes the number of bytes that the client has consumed since the start. Since
// it is the sum, one that is lost or repeated does no harm. One that goes back, or
// is beyond what was sent, is ignored: false.
func (c *credit) ack(consumed int64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if consumed < c.acked || consumed > c.sent {
		return false
	}
	c.acked = consumed
	c.poke()
	return true
}

// hurry leaves the client at most d for the next ack.
func (c *credit) hurry(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.patience = min(c.patience, d)
	c.poke()
}

func (c *credit) poke() {
	select {
	case c.news <- struct{}{}:
	default:
	}
}

// await waits for the next ack while there is patience; false: there is none left.
func (c *credit) await() bool {
	begin := time.Now()
	for {
		came, left := c.status(begin)
		if came || left <= 0 {
			return came
		}
		t := time.NewTimer(left)
		select {
		case <-c.news:
		case <-t.C:
		}
		t.Stop()
	}
}

func (c *credit) status(begin time.Time) (came bool, left time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.acked > c.seen, c.patience - time.Since(begin)
}

// Ack notes how much of a running command's output its client has consumed, over all
// streams. False: the number is not new, or the command doesn't run.
func (e *Engine) Ack(id string, consumed int64) bool {
	e.mu.Lock()
	run := e.runs[id]
	e.mu.Unlock()
	return run != nil && run.credit.ack(consumed)
}

// press is what a cause of the end means for output that waits for acks. A client that
// cancels acknowledges, or does not want the output; a shutdown or a client that is gone
// waits for nothing.
func (r *Run) press(why Reason) {
	switch why {
	case Cancelled:
		r.credit.hurry(r.engine.conf.Limits.DrainMax)
	case Shutdown, Gone, InternalError:
		r.credit.hurry(0)
	}
}
