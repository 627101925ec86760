package executor

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/pillion-sidecar/pillion/executor/spool"
)

// WriteState says whether a write was taken.
type WriteState string

// The states of a write.
const (
	WriteAccepted WriteState = "accepted" // all of it will be offered to the command
	WriteClosed   WriteState = "closed"   // the input was closed, by the client or by the command
	WriteFinished WriteState = "finished" // the command has ended
)

// Write is one write to a command's input.
type Write struct {
	Data   []byte
	Offset int64 // of the first byte in the input; -1 is wherever the last write ended
	Close  bool  // nothing comes after it

	in    *input
	taken int64
	done  chan struct{} // closed when the rest is set
	state WriteState
	at    int64
	err   error
}

// WriteResult is how a write ended. Accepted are the bytes that it has added, Offset
// is where the next one begins.
type WriteResult struct {
	State    WriteState
	Accepted int64
	Offset   int64
}

// finish answers a write to a command that has ended.
func (w *Write) finish() {
	w.done, w.state = make(chan struct{}), WriteFinished
	close(w.done)
}

// Wait returns when the write has been accepted as a whole, or never will be; it
// waits as long as the command doesn't read. Errors: *ParamError of a hole before
// it, *CancelledError when ctx ended it before anything of it was accepted.
func (w *Write) Wait(ctx context.Context) (WriteResult, error) {
	select {
	case <-w.done: // first: a write to a command that has ended has no input to be withdrawn from
		return WriteResult{w.state, w.taken, w.at}, w.err
	default:
	}
	select {
	case <-w.done:
	case <-ctx.Done():
		if w.in.withdraw(w); w.taken == 0 {
			return WriteResult{}, &CancelledError{Phase: "write", Why: Cancelled}
		}
	}
	return WriteResult{w.state, w.taken, w.at}, w.err
}

// The bounds of an input, in bytes: what waits for the command to read it, the same before
// it has started, and what waits to be accepted after that.
const (
	inputQueue  = 1 << 20
	inputEarly  = 64 << 10
	inputBehind = 1 << 20
)

// input is a command's stdin on our side: a bounded queue of accepted bytes, and after it,
// in their order, the writes for which there is no room yet.
type input struct {
	mu      sync.Mutex
	open    bool // a client may write
	last    bool // nothing is accepted any more: what is queued, then the end
	started bool
	queue   []byte
	flying  int       // bytes that are being written
	total   int64     // bytes accepted
	answers int64     // writes that ended a line, or the input
	fed     time.Time // when the last one was written
	state   WriteState
	waiting []*Write
	wake    chan struct{}
}

// newInput begins with what the request brought; nil without any input.
func newInput(text []byte, open bool) *input {
	if text == nil && !open {
		return nil
	}
	return &input{open: open, last: !open, queue: text, total: int64(len(text)), state: WriteAccepted, wake: make(chan struct{}, 1)}
}

// admit puts a write in its place. It never waits: the caller is the one goroutine
// that knows the order of requests.
func (in *input) admit(id string, w *Write) error {
	in.mu.Lock()
	defer in.mu.Unlock()
	w.in, w.done = in, make(chan struct{})
	behind := len(in.queue) + in.flying + len(w.Data)
	for _, o := range in.waiting {
		behind += len(o.Data) - int(o.taken)
	}
	switch {
	case !in.open:
		return &StdinError{ID: id}
	case in.state != WriteAccepted:
	case !in.started && behind > inputEarly, len(in.waiting) > 0 && behind > inputQueue+inputBehind:
		return &StdinFullError{ID: id, Waiting: behind - len(w.Data)}
	}
	in.waiting = append(in.waiting, w)
	in.advance()
	in.poke()
	return nil
}

// advance accepts what there is room for; the caller holds mu.
func (in *input) advance() {
	for len(in.waiting) > 0 && in.accept(in.waiting[0]) {
		close(in.waiting[0].done)
		in.waiting = in.waiting[1:]
	}
}

// poke wakes feed.
func (in *input) poke() {
	select {
	case in.wake <- struct{}{}:
	default:
	}
}

// accept reports whether that write is over.
func (in *input) accept(w *Write) bool {
	switch {
	case in.state != WriteAccepted:
		w.state, w.at = in.state, in.total
		return true
	case in.last:
		w.state, w.at = WriteClosed, in.total
		return true
	case w.Offset > in.total:
		w.err = &ParamError{Path: "/offset", Expected: "at most the number of bytes accepted so far: a later one would leave a hole", Got: fmt.Sprintf("%d after %d", w.Offset, in.total)}
		return true
	case w.Offset >= 0: // what a repeated write has brought before is not taken twice
		had := min(in.total-w.Offset, int64(len(w.Data)))
		w.Data, w.Offset = w.Data[had:], -1
	}
	rest := w.Data[w.taken:]
	n := min(len(rest), inputQueue-len(in.queue)-in.flying)
	if n > 0 {
		in.queue = append(in.queue, rest[:n]...)
		in.total += int64(n)
		w.taken += int64(n)
	}
	if w.taken < int64(len(w.Data)) {
		return false
	}
	in.last = w.Close
	w.state, w.at = WriteAccepted, in.total
	return true
}

// withdraw ends a write that its client waits for no longer. Bytes that were taken stay
// taken.
func (in *input) withdraw(w *Write) {
	in.mu.Lock()
	defer in.mu.Unlock()
	for i, o := range in.waiting {
		if o == w {
			in.waiting = append(in.waiting[:i:i], in.waiting[i+1:]...)
			w.state, w.at = WriteAccepted, in.total
			close(w.done)
			in.advance()
			in.poke()
			return
		}
	}
}

// begin says that the command has started.
func (in *input) begin() {
	if in == nil {
		return
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	in.started = true
	in.advance()
}

// feed carries the queue into the command until its end. A command that does not
// read gets no more than a pipe holds; one that has closed its input ends this.
func (in *input) feed(pipe io.WriteCloser) {
	if in == nil {
		return
	}
	defer pipe.Close()
	buf := readBuffers.Get().(*[spool.ReadSize]byte)
	defer readBuffers.Put(buf)
	for {
		n, last := in.next(buf[:])
		if n == 0 && last {
			in.end(WriteClosed)
			return
		}
		if n == 0 {
			<-in.wake
			continue
		}
		if _, err := pipe.Write(buf[:n]); err != nil {
			in.end(WriteClosed)
			return
		}
	}
}

// next takes bytes out of the queue; last says that none follow.
func (in *input) next(p []byte) (n int, last bool) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.flying > 0 {
		in.fed = time.Now()
	}
	in.flying = 0
	in.advance() // what was written has made room
	in.flying = copy(p, in.queue)
	if bytes.ContainsAny(p[:in.flying], "\n\r\x03\x04") { // Ctrl-C and Ctrl-D are answers, too
		in.answers++
	}
	in.queue = in.queue[in.flying:]
	if len(in.queue) == 0 {
		in.queue = nil // its array, too
	}
	return in.flying, in.last || in.state != WriteAccepted
}

// idle is how many answers were written, when the last bytes were, and whether the command
// has got all there is, and more may come.
func (in *input) idle() (answers int64, last time.Time, empty bool) {
	in.mu.Lock()
	defer in.mu.Unlock()
	empty = in.state == WriteAccepted && !in.last && len(in.queue)+in.flying+len(in.waiting) == 0
	return in.answers, in.fed, empty
}

// end answers every write, those to come as well. The first reason stays.
func (in *input) end(why WriteState) {
	if in == nil {
		return
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.state == WriteAccepted || why == WriteFinished {
		in.state = why
	}
	in.queue, in.flying = nil, 0
	in.advance()
	in.poke()
}
