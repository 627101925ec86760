package sandbox

import "time"

// take returns a warm runner, or starts one.
func (b *box) take() (*runnerProc, error) {
	b.mu.Lock()
	if b.closed {
		b.mu.Unlock()
		return nil, &SetupError{Stage: "sandbox", Err: ErrClosed}
	}
	b.busy++
	if n := len(b.idle); n > 0 {
		r := b.idle[n-1]
		b.idle = b.idle[:n-1]
		b.mu.Unlock()
		return r, nil
	}
	b.mu.Unlock()
	r, err := b.newRunner()
	if err != nil {
		b.mu.Lock()
		b.rest()
		b.mu.Unlock()
	}
	return r, err
}

// give takes a runner back from a command; one that is not healthy, or too many,
// is ended.
func (b *box) give(r *runnerProc, healthy bool) {
	b.mu.Lock()
	b.rest()
	b.keep(r, healthy)
}

// keep makes a runner idle, or ends it. It unlocks mu, which the caller holds.
func (b *box) keep(r *runnerProc, healthy bool) {
	if !healthy || b.closed || len(b.idle) >= maxIdle {
		b.ending.Go(r.close) // it may have to wait for a process stuck in the kernel
		b.mu.Unlock()
		return
	}
	r.since = time.Now()
	b.idle = append(b.idle, r)
	due := b.due()
	b.mu.Unlock()
	b.remind(due)
}

// due is when tidy has something to do; the caller holds mu.
func (b *box) due() time.Time {
	var oldest, last time.Time
	if len(b.idle) > 0 {
		oldest = b.idle[0].since
	}
	if b.unused() {
		last = b.used
	}
	return b.times.due(len(b.idle), oldest, last)
}

// unused says that processes of ours run, and nothing of a command; the caller
// holds mu.
func (b *box) unused() bool {
	return !b.closed && b.keeper != nil && b.busy == 0 && len(b.left) == 0
}

func (b *box) unhold() {
	b.mu.Lock()
	b.rest()
	due := b.due()
	b.mu.Unlock()
	b.remind(due)
}

// tidy ends what has been idle for too long and says when there will be more. A
// sandbox that nobody has used for long gives up its processes, not its home: the
// next command starts them again.
func (b *box) tidy(now time.Time) time.Time {
	b.mu.Lock()
	var old []*runnerProc
	for len(b.idle) > 1 && now.Sub(b.idle[0].since) >= b.times.runner {
		old = append(old, b.idle[0])
		b.idle = b.idle[1:]
	}
	var k *keeperProc
	if b.unused() && now.Sub(b.used) >= b.times.sandbox {
		old = append(old, b.idle...)
		k, b.idle = b.keeper, nil
		b.giveUpKeeper()
	}
	next := b.due()
	b.mu.Unlock()
	for _, r := range old {
		r.close()
	}
	if k != nil {
		k.close()
	}
	return next
}
