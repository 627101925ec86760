package sandbox

import (
	"sync"
	"time"
)

// occupancy counts who uses a box, on every platform. Its mu is for all of the box.
type occupancy struct {
	mu      sync.Mutex
	settled *sync.Cond // busy has become less
	busy    int        // commands that run or start, and holds
	used    time.Time  // when the last of them ended
	closed  bool
}

// open makes it ready: a new box was used just now.
func (o *occupancy) open() { o.settled, o.used = sync.NewCond(&o.mu), time.Now() }

// hold keeps the box as if a command ran in it; false means that it is closed.
func (o *occupancy) hold() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return false
	}
	o.busy++
	return true
}

// rest notes that a command uses the box no more; the caller holds mu.
func (o *occupancy) rest() {
	o.busy--
	o.used = time.Now()
	o.settled.Broadcast()
}

// inUse says that commands run in the box.
func (o *occupancy) inUse() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.busy > 0
}

func (o *occupancy) lastUsed() time.Time {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.used
}

// settleTimeout is how long those who wait for killed commands may take to see their
// ends.
const settleTimeout = 3 * time.Second

// awaitSettled waits for that; the caller holds mu.
func (o *occupancy) awaitSettled() {
	late := false
	t := time.AfterFunc(settleTimeout, func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		late = true
		o.settled.Broadcast()
	})
	defer t.Stop()
	for o.busy > 0 && !late {
		o.settled.Wait()
	}
}

// close ends the box; without force only when nothing of a command is in it.
func (b *box) close(force bool) bool {
	if !b.retire(force, force) {
		return false
	}
	b.finish()
	return true
}
