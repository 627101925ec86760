package executor

import (
	"errors"
	"io"
	"os"
	"sync"
	"time"
)

// stream carries one pipe of the command into its spool and remembers how far
// the pump has come.
type stream struct {
	name  Stream
	pipe  *os.File // our end
	spool *spool
	wake  chan<- struct{} // tells the pump
	lost  func()          // is told that the spool has not kept everything; may be nil

	mu    sync.Mutex
	last  time.Time     // of the newest byte
	eof   bool          // the pipe ended; false when we stopped reading
	cut   bool          // it had to be cut off from what the main child left
	over  chan struct{} // closed when nothing more will come
	fresh chan struct{} // closed with the next bytes; nil while no Reader waits

	// the pump's own
	next int64 // offset of the next byte to deliver
	gaps []Gap
	sent int64
}

// readSize is how much one read(2) takes; Linux pipes hold 64 KiB.
const readSize = 64 << 10

var readBuffers = sync.Pool{New: func() any { return new([readSize]byte) }}

// drain copies the pipe into the spool until it ends. It never waits for the
// client: output the client doesn't take is on disk, not in memory.
func (s *stream) drain() {
	err := copyReady(s.pipe, func(p []byte) error {
		if !s.spool.append(p) && s.lost != nil {
			s.lost()
		}
		s.mu.Lock()
		s.last = time.Now()
		if s.fresh != nil {
			close(s.fresh)
			s.fresh = nil
		}
		s.mu.Unlock()
		s.poke()
		return nil
	})
	s.mu.Lock()
	s.eof = errors.Is(err, io.EOF) || s.name == Pty && hungUp(err)
	s.mu.Unlock()
	_ = s.pipe.Close()
	close(s.over)
}

func (s *stream) poke() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// quiet is when the newest byte came, or the zero time.
func (s *stream) quiet() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last
}
