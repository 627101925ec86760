package executor

import (
	"errors"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/pillion-sidecar/pillion/executor/spool"
)

// stream is one output of a command: its spool, and how far the pump has come.
type stream struct {
	name  Stream
	spool *spool.Spool
	wake  chan<- struct{} // wakes the pump
	mark  atomic.Int64    // the size from which on the pump wants to know
	pump  atomic.Pointer[pump]
	lost  func() // learns that the spool has not kept everything; may be nil

	mu    sync.Mutex
	once  sync.Once     // closes over
	over  chan struct{} // closed when nothing more will come
	fresh chan struct{} // closed with the next bytes; nil while no Reader waits
	held  bool          // a pipe of it was still open when we stopped reading

	// the pump's own
	next int64 // offset of the next byte to deliver
	seen int64 // what there was before the last round
	gaps []Gap
	sent int64
}

// take keeps what was read and wakes its readers. It never waits for the client: output
// the client doesn't take is on disk, not in memory.
func (s *stream) take(p []byte) {
	if len(p) == 0 {
		s.spool.Settle() // others may need the room until there is something
		return
	}
	if !s.spool.Append(p) && s.lost != nil {
		s.lost()
	}
	s.mu.Lock()
	if s.fresh != nil {
		close(s.fresh)
		s.fresh = nil
	}
	s.mu.Unlock()
	if s.spool.Size() >= s.mark.Load() {
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

var readBuffers = sync.Pool{New: func() any { return new([spool.ReadSize]byte) }}

// errNoRoom stops the reading of a pipe whose spool is full.
var errNoRoom = errors.New("the spool is full")

// drain copies the pipe into the stream until it ends.
func (in *inlet) drain() {
	kept := in.stream.spool
	var room func(int) int
	if kept.OnFull == spool.Block {
		room = kept.Room
	}
	err := copyReady(in.pipe, room, in.take)
	if errors.Is(err, errNoRoom) {
		close(in.stuck)
		<-in.lift
		kept.Lift()
		err = copyReady(in.pipe, room, in.take)
		kept.Lower()
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

// ReadRequest says which part of a stream to read.
type ReadRequest struct {
	Offset int64         // below zero: from the end of what there is
	Max    int           // bytes of one Piece
	Wait   time.Duration // for bytes, where there are none yet
	Base64 bool          // any cut will do
}

// Piece is a run of a stream's bytes without a hole in it. Text reports that
// Bytes is valid UTF-8 cut on a rune boundary.
type Piece struct {
	Offset  int64 // of Bytes
	Bytes   []byte
	Text    bool
	Total   int64
	First   int64 // offset of the first byte that is kept
	Gaps    []Gap // what is lost between the offset asked for and Offset
	EOF     bool  // nothing follows Bytes
	Running bool  // the command has not ended
}

// start is where the reading begins. From the end, it is not in the middle of a
// character, so that the newest text is text.
func (s *stream) start(q ReadRequest) int64 {
	if q.Offset >= 0 {
		return q.Offset
	}
	off := max(0, s.spool.Size()+q.Offset)
	if q.Base64 {
		return off
	}
	var b [2 * (utf8.UTFMax - 1)]byte
	before := int(min(off, utf8.UTFMax-1))
	n, _, err := s.spool.Read(b[:], off-int64(before))
	if err != nil || n <= before {
		return off
	}
	for i := 1; i <= before; i++ {
		if utf8.RuneStart(b[before-i]) {
			_, size := utf8.DecodeRune(b[before-i : n]) // 1 where it is none
			return off + int64(max(0, size-i))
		}
	}
	return off
}

// piece reads up to the next hole. A hole at off itself is named.
func (s *stream) piece(off int64, q ReadRequest) (Piece, error) {
	ended := s.ended() // before the size, which is the final one then
	p := Piece{Offset: off, First: s.spool.First()}
	b := make([]byte, max(0, min(int64(q.Max), s.spool.Size()-off)))
	n, hole := 0, false
	for n < len(b) && !hole {
		got, next, err := s.spool.Read(b[n:], p.Offset+int64(n))
		switch {
		case err != nil:
			return p, err
		case got > 0:
			n += got
			continue
		case n > 0:
			hole = next > p.Offset+int64(n)
		case next > p.Offset:
			p.Offset = next
			continue
		}
		break
	}
	if p.Offset > off {
		p.Gaps = []Gap{{Stream: s.name, From: off, To: p.Offset, Reason: s.spool.Reason()}}
	}
	p.Total = s.spool.Size()
	last := hole || ended && p.Offset+int64(n) >= p.Total
	size, text := cut(b[:n], q.Base64, last)
	if size == 0 && n == q.Max { // no room for a whole character
		size, text = n, false
	}
	p.Bytes, p.Text = b[:size], text
	p.EOF = ended && p.Offset+int64(size) >= p.Total
	return p, nil
}

func (s *stream) ended() bool {
	select {
	case <-s.over:
		return true
	default:
		return false
	}
}
