package executor

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pillion-sidecar/pillion/executor/spool"
)

// pumped is a command's stdout with its way to the client, on a clock of the test's
// own: what is said of times here holds to the nanosecond.
type pumped struct {
	*stream
	rec  *record
	life *life
	over chan struct{} // the pump has ended
}

func newPumped(t *testing.T, flush time.Duration, c *credit, free bool) *pumped {
	t.Helper()
	run := &Run{engine: &Engine{conf: Config{Limits: Limits{StreamMaxBytes: 8 << 20}}, core: &core{}}, credit: c}
	run.req.Output.Flush = flush
	l := &life{Run: run, wake: make(chan struct{}, 1), ended: make(chan struct{})}
	s := &stream{name: Stdout, wake: l.wake, over: make(chan struct{}), spool: &spool.Spool{
		Dir: t.TempDir(), Max: 1 << 20, Budget: &spool.Budget{Limit: 1 << 20},
	}}
	l.streams = []*stream{s}
	p := &pumped{s, &record{t: t, started: &Started{}, out: map[Stream]*strings.Builder{}}, l, make(chan struct{})}
	pump := l.newPump(busyClient{p.rec, free})
	go func() { defer close(p.over); pump.run(l.wake, l.ended) }()
	t.Cleanup(s.spool.Close)
	return p
}

// writes is the command's writing; what the pump does without waiting has been done.
func (p *pumped) writes(text string) {
	synctest.Wait()
	p.take([]byte(text))
	synctest.Wait()
}

// rests lets time pass.
func (p *pumped) rests(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func (p *pumped) want(text string) {
	p.rec.t.Helper()
	if got := p.rec.text(Stdout); got != text {
		p.rec.t.Errorf("%d bytes have come, want %d: %.80q", len(got), len(text), got)
	}
}

func (p *pumped) ends() {
	close(p.life.ended)
	<-p.over
}

// First bytes go out at once, also those after a silence: a prompt is not held back for
// what may follow it. What follows is gathered.
func TestOutputAfterASilenceGoesOutAtOnce(t *testing.T) {
	for _, free := range []bool{true, false} { // by who has read them, by the pump
		synctest.Test(t, func(t *testing.T) {
			p := newPumped(t, 2*time.Second, newCredit(0, 0), free)
			said := ""
			for range 3 {
				p.writes("first\n")
				p.want(said + "first\n")
				p.rests(time.Second)
				p.writes("second\n")
				p.rests(time.Second - time.Nanosecond)
				p.want(said + "first\n")
				p.rests(time.Nanosecond)
				said += "first\nsecond\n"
				p.want(said)
				p.rests(2 * time.Second)
			}
			p.ends()
		})
	}
}

// Gathering is for small pieces: what fills a chunk does not wait for more.
func TestAFullChunkDoesNotWaitForTheFlushTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPumped(t, 20*time.Second, newCredit(0, 0), true)
		p.writes("first\n")
		all := "first\n"
		for range 5 {
			piece := strings.Repeat("x", 2*mostChunk/3)
			p.writes(piece)
			all += piece
			if late := len(all) - len(p.rec.text(Stdout)); late >= mostChunk {
				t.Errorf("%d bytes wait", late)
			}
		}
		p.ends()
		p.want(all)
	})
}

// Each ack gives a slow client the whole time once more, and who sends none any more
// has just that.
func TestWindowOfASlowClientIsWaitedFor(t *testing.T) {
	const wait, window = time.Second, 1000
	text := string(exactSeq(1000))
	for _, last := range []int64{2900, 500} { // acknowledged
		synctest.Test(t, func(t *testing.T) {
			c := newCredit(window, wait)
			p := newPumped(t, 0, c, true)
			p.writes(text)
			close(p.life.ended)
			for n := int64(100); n <= last; n += 100 {
				p.rests(wait - time.Nanosecond)
				p.want(text[:min(n+window-100, int64(len(text)))])
				c.ack(n)
			}
			began := time.Now()
			<-p.over
			took, gaps := time.Since(began), p.rec.gaps
			if last == 2900 && (took > 0 || len(gaps) > 0) {
				t.Errorf("%+v after %s", gaps, took)
			}
			if last == 500 && (took != wait || len(gaps) != 1 || gaps[0].From != last+window || gaps[0].Reason != "slowClient") {
				t.Errorf("%+v after %s", gaps, took)
			}
		})
	}
}
