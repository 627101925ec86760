package executor

import (
	"math"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/sourcegraph/conc/panics"

	"github.com/pillion-sidecar/pillion/executor/render"
	"github.com/pillion-sidecar/pillion/executor/spool"
)

// pump delivers the streams to the Sink: first bytes at once, later ones
// coalesced, seq without holes, every lost byte named in a Gap. It runs on the
// goroutine of Do, so nothing follows it but the result; first bytes it lets the
// reader of their pipe deliver (ahead.go).
type pump struct {
	mu       sync.Mutex // of all of it, but while run rests
	resting  bool       // nothing waits to be delivered
	later    *time.Timer
	broken   panics.Catcher
	sink     Sink
	streams  []*stream
	most     int // bytes of a chunk
	base64   bool
	budget   int64 // bytes streamed per stream
	flush    time.Duration
	credit   *credit
	refusals *refusals
	waiting  *atomic.Pointer[Waiting]
	starved  bool // the last round could have sent more with more credit
	seq      int64
	dead     bool // the client is gone
}

// Bounds of one chunk, in bytes. The least must hold a rune.
const (
	mostChunk    = spool.ReadSize
	leastChunk   = 64
	defaultFlush = 16 * time.Millisecond
)

func (l *life) newPump(s Sink) *pump {
	o, lim := l.req.Output, l.engine.conf.Limits
	p := &pump{sink: s, most: mostChunk, streams: l.streams, base64: o.Base64, budget: lim.StreamMaxBytes, flush: defaultFlush, credit: l.credit, refusals: &l.refusals, waiting: &l.waiting}
	if o.StreamMaxBytes > 0 {
		p.budget = min(o.StreamMaxBytes, lim.StreamMaxBytes)
	}
	if o.Flush > 0 {
		p.flush = o.Flush
	}
	for _, less := range []int{lim.MaxChunkBytes, o.MaxChunkBytes} {
		if less > 0 {
			p.most = max(leastChunk, min(p.most, less))
		}
	}
	for _, s := range p.streams {
		s.pump.Store(p)
	}
	return p
}

// run delivers until the command has ended and everything was delivered.
func (p *pump) run(wake <-chan struct{}, ended <-chan struct{}) {
	p.mu.Lock()
	defer p.rest()
	for final := false; ; {
		p.broken.Repanic()
		p.look()
		p.report()
		sent, more := p.round(final)
		if !sent {
			p.ask()
		}
		switch {
		case more:
		case final && p.starved && p.credit.await():
		case final: // and no credit comes any more, if it is that what lacks
			for _, s := range p.streams {
				p.missing(s)
			}
			return
		case p.starved:
			final = pause(p.credit.news, nil, ended)
		default:
			final = p.wait(sent, wake, ended)
		}
	}
}

// rest ends run.
func (p *pump) rest() {
	if p.later != nil {
		p.later.Stop()
	}
	p.mu.Unlock()
}

// round gives each stream its turn, so that a flood on one does not keep the
// other's few lines back.
func (p *pump) round(final bool) (sent, more bool) {
	p.starved = false
	p.credit.look()
	for _, s := range p.streams {
		n := 0
		for n < turn && p.deliver(s, final) {
			n++
		}
		sent = sent || n > 0
		more = more || n == turn
	}
	return sent, more
}

// turn is how many chunks a stream may send before the other one's turn.
const turn = 8

// deliver sends one chunk or gap of a stream, if there is one to send.
func (p *pump) deliver(s *stream, final bool) bool {
	if p.dead || s.sent >= p.budget { // what is over the budget becomes one gap at the end
		return false
	}
	buf := readBuffers.Get().(*[spool.ReadSize]byte) // as for reading: a silent command has none
	defer readBuffers.Put(buf)
	n, next, err := s.spool.Read(buf[:min(int64(p.most), p.budget-s.sent)], s.next)
	if err != nil || n == 0 && next == s.next {
		return false
	}
	if n == 0 {
		if s.spool.Closed() && !final { // one gap at the end, not one for every chunk that is lost
			return false
		}
		p.gap(s, s.next, next, s.spool.Reason())
		return true
	}
	may, idle := p.credit.left(n)
	short := may < n
	b := buf[:may]
	n, text := cut(b, p.base64, final && s.next+int64(may) >= s.spool.Size())
	switch {
	case n > 0:
		b = b[:n]
	case short && !idle: // a character may need more than is left
		p.starved = true
		return false
	case !short && !s.spool.Lacks(next): // the rest of the character may come
		return false
	default: // it never will, or the window is smaller than a character
		text = false
	}
	p.chunk(s, b, text)
	return true
}

// cut finds how much of b goes into one chunk: whole runes, so that joining the
// texts is byte-exact, except where no more bytes can follow.
func cut(b []byte, base64, last bool) (n int, text bool) {
	if base64 {
		return len(b), false
	}
	n = len(b)
	if !last {
		n -= render.IncompleteRune(b)
	}
	return n, utf8.Valid(b[:n])
}

func (p *pump) chunk(s *stream, b []byte, text bool) {
	p.credit.spend(len(b))
	err := p.sink.Output(Chunk{Seq: p.seq, Stream: s.name, Offset: s.next, Bytes: b, Text: text})
	p.dead = err != nil
	p.seq++
	s.next += int64(len(b))
	s.sent += int64(len(b))
}

func (p *pump) gap(s *stream, from, to int64, reason string) {
	g := Gap{Seq: p.seq, Stream: s.name, From: from, To: to, Reason: reason}
	p.dead = p.sink.Gap(g) != nil
	p.seq++
	s.gaps = append(s.gaps, g)
	s.next = to
}

// missing names what was not delivered.
func (p *pump) missing(s *stream) {
	if total := s.spool.Size(); s.next < total && !p.dead {
		reason := "streamBudget"
		switch {
		case p.starved && s.sent < p.budget:
			reason = "slowClient"
		case s.spool.Err() != nil:
			reason = s.spool.Reason()
		}
		p.gap(s, s.next, total, reason)
	}
}

// look notes how far the streams are before a round: what comes later is news.
func (p *pump) look() {
	for _, s := range p.streams {
		s.seen = s.spool.Size()
	}
}

// wait waits for something to send; true says that the command has ended. First bytes,
// also those after a silence, go out at once. Later bytes are gathered for the flush time,
// or until they fill a chunk: gathering is for the small ones.
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

// expect asks each stream to wake the pump when at least that many bytes can be sent, and
// reports one that has them already, or a refusal or a wait to tell. Half a character that
// a round has held back doesn't count.
func (p *pump) expect(least int64) (there bool) {
	there = p.refusals.pending() || p.waiting.Load() != nil
	for _, s := range p.streams {
		mark := max(s.next+least, s.seen+1)
		if s.next >= p.budget { // the rest is one gap at the end
			mark = math.MaxInt64
		}
		s.mark.Store(mark)
		there = there || s.spool.Size() >= mark
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

// aheadMost bounds what is delivered by the goroutine that has read it, in bytes. More
// than that is worth a hop to the pump, and reading goes on meanwhile.
const aheadMost = 4 << 10

// ahead delivers first bytes while run rests, and reports whether it did: waking run's
// goroutine takes longer than all the rest of their way. The reader must not wait for a
// client, so it goes ahead only where nothing else is on its way there. Later bytes are
// gathered, as after others, until run wakes.
func (p *pump) ahead(s *stream) bool {
	if !p.mu.TryLock() {
		return false
	}
	defer p.mu.Unlock()
	if !p.resting || p.dead || s.spool.Size()-s.next > aheadMost || p.refusals.pending() || p.waiting.Load() != nil || !p.sink.Free() {
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
