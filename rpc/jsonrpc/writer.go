package jsonrpc

import (
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// maxControlFrames and maxControlBytes bound the answers that wait for a
	// client which doesn't read. Beyond them the reader waits, so the client's
	// own pipe fills: that is the back-pressure.
	maxControlFrames = 1024
	maxControlBytes  = 8 << 20
)

// errGone says that the reader has gone.
var errGone = errors.New("the client is gone")

// Writer owns the outgoing stream: one goroutine, one Write per frame. Control
// frames go first; then the lanes, one frame each in turn.
type Writer struct {
	out     io.Writer
	framing Framing
	try     attempt     // of out, nil where it might wait
	gone    func(error) // called once, with the first write error

	mu      sync.Mutex
	work    *sync.Cond // something to write, or closing
	room    *sync.Cond // control has shrunk, or broken
	control []*Frame
	bytes   int // of control
	ready   []*Lane
	lanes   map[*Lane]struct{}
	refused bool   // lanes are
	closing bool   // run returns when control is written out
	broken  bool   // nothing is written any more
	busy    bool   // a write goes on
	begun   *Frame // partly written; nothing may come before the rest of it

	since   atomic.Int64 // UnixNano of the Write in progress, 0 when none is
	Written atomic.Int64 // bytes
}

// NewWriter makes a Writer, which writes once Run is called. gone is called once, with
// the first error; it must not block.
func NewWriter(out io.Writer, framing Framing, gone func(error)) *Writer {
	w := &Writer{out: out, framing: framing, try: attempts(out), gone: gone, lanes: map[*Lane]struct{}{}}
	w.work, w.room = sync.NewCond(&w.mu), sync.NewCond(&w.mu)
	return w
}

// Run writes until close has been called and all control frames are out, or
// until the first error.
func (w *Writer) Run() {
	for f := w.next(); f != nil; f = w.next() {
		buf := w.framing.seal(f)
		w.since.Store(time.Now().UnixNano())
		n, err := w.out.Write(buf)
		w.since.Store(0)
		w.Written.Add(int64(n))
		if err == nil && n < len(buf) {
			err = io.ErrShortWrite
		}
		f.Free()
		if err != nil {
			// Part of the frame may be out; anything after it would be garbage.
			w.Abandon()
			w.gone(err)
			return
		}
	}
}

func (w *Writer) next() *Frame {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.busy = false
	f := w.pick()
	w.busy = f != nil
	return f
}

// pick waits for the next frame; nil is the end.
func (w *Writer) pick() *Frame {
	for !w.broken {
		switch {
		case w.busy: // its frame may not be whole yet
		case w.begun != nil:
			f := w.begun
			w.begun = nil
			return f
		case len(w.control) > 0:
			return w.popControl()
		case len(w.ready) > 0:
			l := w.ready[0]
			w.ready[0] = nil
			w.ready = w.ready[1:]
			return l.take()
		case w.closing:
			return nil
		}
		w.work.Wait()
	}
	return nil
}

func (w *Writer) popControl() *Frame {
	f := w.control[0]
	w.control[0] = nil
	w.control = w.control[1:]
	w.bytes -= f.size()
	w.room.Broadcast()
	return f
}

// Send queues a control frame. It never blocks, so that no handler can hold up
// the reader; waitRoom is where the bound is kept.
func (w *Writer) Send(f *Frame) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.broken {
		f.Free()
		return errGone
	}
	if w.direct(f) {
		return nil
	}
	w.queue(f)
	return nil
}

// queue is called with mu held.
func (w *Writer) queue(f *Frame) {
	w.control = append(w.control, f)
	w.bytes += f.size()
	w.work.Signal()
}

// maxOffered is how many frames may wait in front of one that is only offered.
const maxOffered = 64

// Offer queues a control frame if the client keeps up, and reports whether it
// did: what can be missed must not hold up answers.
func (w *Writer) Offer(f *Frame) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.broken || w.closing || len(w.control) >= maxOffered {
		f.Free()
		return false
	}
	w.queue(f)
	return true
}

// waitRoom waits until the control lane is within its bounds.
func (w *Writer) waitRoom() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for !w.broken && (len(w.control) >= maxControlFrames || w.bytes >= maxControlBytes) {
		w.room.Wait()
	}
}

// RefuseLanes ends all waiting for the client: what is queued is still written,
// the rest of the output is not.
func (w *Writer) RefuseLanes() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.refused = true
	w.release()
}

// Close lets run return once everything queued is written.
func (w *Writer) Close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.refused, w.closing = true, true
	w.release()
}

// Abandon gives up everything that is queued and refuses the rest.
func (w *Writer) Abandon() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.refused, w.broken = true, true
	w.control, w.ready, w.bytes, w.begun = nil, nil, 0, nil
	w.release()
}

// release wakes everybody who waits for what will not come. Called with mu held.
func (w *Writer) release() {
	w.work.Broadcast()
	w.room.Broadcast()
	for l := range w.lanes {
		l.empty.Broadcast()
	}
}

// Queued is the number of frames that wait.
func (w *Writer) Queued() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := len(w.control) + len(w.ready)
	if w.begun != nil {
		n++
	}
	return n
}

// Stalled is how long the Write in progress has been blocked.
func (w *Writer) Stalled() time.Duration {
	since := w.since.Load()
	if since == 0 {
		return 0
	}
	return max(0, time.Duration(time.Now().UnixNano()-since))
}
