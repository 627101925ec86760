package inside

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/limits"
	"github.com/pillion-sidecar/pillion/sandbox/policy"
)

// sampler measures on a thread of its own. The one that kills waits for nothing that a
// command can hold up: to sum the memory of a fork bomb takes a lock of each of its
// processes, and once took half a minute in which nothing else was done.
type sampler struct {
	wake    int         // eventfd: something has been seen
	stop    atomic.Bool // no answer is needed any more
	mu      sync.Mutex
	samples []sample
	asked   chan func()
	inHand  chan struct{} // holds one while a look is taken
}

// sample is what one look has found.
type sample struct {
	usage limits.Usage
	cost  time.Duration // of a processor
	ok    bool
	last  bool          // of this look: the first says how many processes there are, and no memory
	ports []policy.Port // where looked at and the last
}

func newSampler() *sampler {
	wake, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err != nil {
		wake = -1 // what is seen is then considered when the runner wakes up anyway
	}
	l := &sampler{wake: wake, asked: make(chan func()), inHand: make(chan struct{}, 1)}
	go func() {
		runtime.LockOSThread() // its time is measured
		for look := range l.asked {
			look()
		}
	}()
	return l
}

// unwanted says that a look may end before it is complete.
func (l *sampler) unwanted() bool { return l.stop.Load() }

// take begins one, if none is on its way.
func (l *sampler) take(m *limits.Meter, bounds policy.Limits, p *ports) {
	select {
	case l.inHand <- struct{}{}:
	default:
		return
	}
	l.asked <- func() {
		began := limits.ThreadTime()
		u, ok := m.Sample(bounds, func(u limits.Usage) { l.put(sample{usage: u, ok: true}) })
		s := sample{usage: u, ok: ok, last: true}
		if ok && p != nil {
			s.ports = p.look(l.unwanted)
		}
		s.cost = limits.ThreadTime() - began
		l.put(s)
		<-l.inHand
	}
}

func (l *sampler) put(s sample) {
	l.mu.Lock()
	l.samples = append(l.samples, s)
	l.mu.Unlock()
	var one [8]byte
	one[0] = 1
	_, _ = unix.Write(l.wake, one[:])
}

// taken takes what has been seen since the last time.
func (l *sampler) taken() []sample {
	l.mu.Lock()
	defer l.mu.Unlock()
	said := l.samples
	if len(said) > 0 {
		var count [8]byte
		_, _ = unix.Read(l.wake, count[:])
	}
	l.samples = nil
	return said
}

// forget waits for a look at a command that is over, whose processes are gone, and
// forgets it.
func (l *sampler) forget() {
	l.stop.Store(true)
	l.inHand <- struct{}{}
	<-l.inHand
	l.stop.Store(false)
	l.taken()
}
