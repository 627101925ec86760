package executor

import (
	"errors"
	"io"
	"os"
	"sync"
	"time"
)

// inlet is the pipe by which one process writes to a stream.
type inlet struct {
	stream *stream
	pipe   *os.File // our end
	from   int64    // where its bytes begin in the stream
	final  bool     // no other process will write to the stream
	done   chan struct{}
	stuck  chan struct{} // closed when there is no room and the process has to wait
	lift   chan struct{} // closed when it need not wait any more, because it has ended

	mu   sync.Mutex
	last time.Time // of the newest byte
	eof  bool      // the pipe ended; false when we stopped reading
	cut  bool      // it had to be cut off from what the process left
}

// readSize is how much one read(2) takes; Linux pipes hold 64 KiB.
const readSize = 64 << 10

var readBuffers = sync.Pool{New: func() any { return new([readSize]byte) }}

// errNoRoom stops the reading of a pipe whose spool is full.
var errNoRoom = errors.New("the spool is full")

// drain copies the pipe into the stream until it ends.
func (in *inlet) drain() {
	kept := in.stream.spool
	err := copyReady(in.pipe, kept.room, in.take)
	if errors.Is(err, errNoRoom) {
		close(in.stuck)
		<-in.lift
		kept.lift()
		err = copyReady(in.pipe, kept.room, in.take)
		kept.lower()
	}
	in.take(nil)
	in.mu.Lock()
	in.eof = errors.Is(err, io.EOF) || in.stream.name == Pty && hungUp(err)
	in.mu.Unlock()
	_ = in.pipe.Close()
	close(in.done)
	if in.final {
		in.stream.end()
	}
}

func (in *inlet) take(p []byte) {
	if len(p) > 0 {
		in.mu.Lock()
		in.last = time.Now()
		in.mu.Unlock()
	}
	in.stream.take(p)
}

// backlog is d for a pipe that still has to be read, else 0.
func (in *inlet) backlog(d time.Duration) time.Duration {
	select {
	case <-in.stuck:
		return d
	default:
		return 0
	}
}

// quiet is when the newest byte came, or the zero time.
func (in *inlet) quiet() time.Time {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.last
}

// settle notes, when the inlet is done, whether the stream was read to its end.
func (in *inlet) settle() {
	in.mu.Lock()
	held := !in.eof || in.cut
	in.mu.Unlock()
	in.stream.mu.Lock()
	in.stream.held = in.stream.held || held
	in.stream.mu.Unlock()
}
