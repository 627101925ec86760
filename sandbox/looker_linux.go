package sandbox

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// looker measures on a thread of its own. The one that kills waits for nothing that a
// command can hold up: to sum the memory of a fork bomb takes a lock of each of its
// processes, and once took half a minute in which nothing else was done.
type looker struct {
	wake   int         // eventfd: something has been seen
	stop   atomic.Bool // nobody wants to know any more
	mu     sync.Mutex
	said   []sighting
	asked  chan func()
	inHand chan struct{} // holds one while a look is taken
}

// sighting is what one look has found.
type sighting struct {
	usage usage
	cost  time.Duration // of a processor
	ok    bool
	last  bool // of this look: the first says how many processes there are, and no memory
}

func newLooker() *looker {
	wake, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err != nil {
		wake = -1 // what is seen is then considered when the runner wakes up anyway
	}
	l := &looker{wake: wake, asked: make(chan func()), inHand: make(chan struct{}, 1)}
	go func() {
		runtime.LockOSThread() // its time is measured
		for look := range l.asked {
			look()
		}
	}()
	return l
}

// unwanted says that a look may end before it is complete.
func (l *looker) unwanted() bool { return l.stop.Load() }

// look begins one, if none is on its way.
func (l *looker) look(m *meter, limits Limits) {
	select {
	case l.inHand <- struct{}{}:
	default:
		return
	}
	l.asked <- func() {
		began := threadTime()
		u, ok := m.sample(limits, func(u usage) { l.say(sighting{usage: u, ok: true}) })
		l.say(sighting{u, threadTime() - began, ok, true})
		<-l.inHand
	}
}

func (l *looker) say(s sighting) {
	l.mu.Lock()
	l.said = append(l.said, s)
	l.mu.Unlock()
	var one [8]byte
	one[0] = 1
	_, _ = unix.Write(l.wake, one[:])
}

// seen takes what has been seen since the last time.
func (l *looker) seen() []sighting {
	l.mu.Lock()
	defer l.mu.Unlock()
	said := l.said
	if len(said) > 0 {
		var count [8]byte
		_, _ = unix.Read(l.wake, count[:])
	}
	l.said = nil
	return said
}

// settle waits for a look at a command that is over, whose processes are gone, and
// forgets it.
func (l *looker) settle() {
	l.stop.Store(true)
	l.inHand <- struct{}{}
	<-l.inHand
	l.stop.Store(false)
	l.seen()
}
