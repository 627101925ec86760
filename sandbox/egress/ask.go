package egress

import (
	"context"
	"maps"
	"sync"
	"time"
)

// questions are those a person has in front of them, and what was declined.
type questions struct {
	mu       sync.Mutex
	open     map[string]*question
	declined map[string]time.Time // until when
}

// question is asked once for all connections to one host and port.
type question struct {
	waiting int
	cancel  context.CancelFunc
	done    chan struct{}
	yes     bool // set before done is closed
}

// ask puts t to the person, and waits. A decline holds for a while: a client that
// tries again at once, as most do, must not ask until someone is tired of saying no.
// what is said of an address that isn't public.
func (p *Proxy) ask(ctx context.Context, t target, what string, peer Peer) bool {
	if p.config.Given != nil && p.config.Given(t.host(), int(t.port), peer) {
		return true
	}
	if p.config.Ask == nil {
		return false
	}
	key := t.String()
	p.questions.mu.Lock()
	q := p.questions.open[key]
	if q == nil {
		if q = p.newQuestion(key); q == nil {
			p.questions.mu.Unlock()
			return false
		}
		qctx, cancel := context.WithCancel(p.ctx)
		q.cancel = cancel
		p.work.Go(func() { p.put(qctx, q, t, what, peer) })
	}
	q.waiting++
	p.questions.mu.Unlock()

	select {
	case <-q.done:
		return q.yes
	case <-ctx.Done():
		p.leave(key, q)
		return false
	}
}

// newQuestion registers one, nil if t was declined just now or too many are open.
func (p *Proxy) newQuestion(key string) *question {
	now := time.Now()
	maps.DeleteFunc(p.questions.declined, func(_ string, until time.Time) bool { return now.After(until) })
	if _, ok := p.questions.declined[key]; ok || len(p.questions.open) >= p.limits.questions {
		return nil
	}
	q := &question{done: make(chan struct{})}
	p.questions.open[key] = q
	return q
}

// put asks, and keeps the answer.
func (p *Proxy) put(ctx context.Context, q *question, t target, what string, peer Peer) {
	defer q.cancel()
	key := t.String()
	answer := p.config.Ask(ctx, t.host(), int(t.port), what, peer)
	if answer == Keep {
		if err := p.Allow(key); err != nil {
			p.config.Log.Warn("an accepted host can't be kept", "err", err)
		}
	}
	p.questions.mu.Lock()
	defer p.questions.mu.Unlock()
	if p.questions.open[key] == q {
		delete(p.questions.open, key)
	}
	// A question that was taken back has no answer.
	if answer == Refuse && ctx.Err() == nil && len(p.questions.declined) < maxPatterns {
		p.questions.declined[key] = time.Now().Add(p.limits.declined)
	}
	q.yes = answer != Refuse
	close(q.done)
}

// leave is a client that waits no longer; the last one takes the question back.
func (p *Proxy) leave(key string, q *question) {
	p.questions.mu.Lock()
	defer p.questions.mu.Unlock()
	if q.waiting--; q.waiting > 0 {
		return
	}
	if p.questions.open[key] == q {
		delete(p.questions.open, key)
	}
	q.cancel()
}
