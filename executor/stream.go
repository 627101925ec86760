package executor

import (
	"sync"
	"sync/atomic"
)

// stream is one output of a command: its spool, and how far the pump has come.
type stream struct {
	name  Stream
	spool *spool
	wake  chan<- struct{} // tells the pump
	mark  atomic.Int64    // the size from which on the pump wants to know
	pump  atomic.Pointer[pump]
	lost  func() // is told that the spool has not kept everything; may be nil

	mu    sync.Mutex
	once  sync.Once     // closes over
	over  chan struct{} // closed when nothing more will come
	fresh chan struct{} // closed with the next bytes; nil while no Reader waits
	held  bool          // somebody still held a pipe of it when we stopped reading

	// the pump's own
	next int64 // offset of the next byte to deliver
	seen int64 // what there was before the last round
	gaps []Gap
	sent int64
}

// take keeps what was read and tells who waits for it. It never waits for the
// client: output the client doesn't take is on disk, not in memory.
func (s *stream) take(p []byte) {
	if len(p) == 0 {
		s.spool.settle() // others may need the room until there is something
		return
	}
	if !s.spool.append(p) && s.lost != nil {
		s.lost()
	}
	s.mu.Lock()
	if s.fresh != nil {
		close(s.fresh)
		s.fresh = nil
	}
	s.mu.Unlock()
	if s.spool.size() >= s.mark.Load() {
		if p := s.pump.Load(); p == nil || !p.ahead(s) {
			s.poke()
		}
	}
}

func (s *stream) poke() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// part lets go of the command, which has ended. Its output may be kept for long after
// that, and what its request has brought must not be, such as 16 MiB of input.
func (s *stream) part() {
	s.pump.Store(nil)
	s.lost = nil
}

// end says that nothing more will come.
func (s *stream) end() { s.once.Do(func() { close(s.over) }) }
