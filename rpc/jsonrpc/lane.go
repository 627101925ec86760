package jsonrpc

import "sync"

// Lane is the outgoing FIFO of one command. It holds one frame: with the chunk
// that is being made into the next one, that is all the memory a command can
// take up at a client that has stopped reading.
type Lane struct {
	w       *Writer
	pending *Frame
	empty   *sync.Cond // pending was taken, or nothing will be
}

// Lane is a new one; Join ends it.
func (w *Writer) Lane() *Lane {
	w.mu.Lock()
	defer w.mu.Unlock()
	l := &Lane{w: w, empty: sync.NewCond(&w.mu)}
	w.lanes[l] = struct{}{}
	return l
}

// Send queues a frame after the lane's others, waiting for its place. A lane gets in line
// again only with its next frame, which is what makes the Writer's line a round-robin.
func (l *Lane) Send(f *Frame) error {
	l.w.mu.Lock()
	defer l.w.mu.Unlock()
	if !l.wait() {
		f.Free()
		return errGone
	}
	if f.size() <= directMost && l.w.direct(f) {
		return nil
	}
	l.pending = f
	l.w.ready = append(l.w.ready, l)
	l.w.work.Signal()
	return nil
}

// Free says that the next frame will not have to wait for its place.
func (l *Lane) Free() bool {
	l.w.mu.Lock()
	defer l.w.mu.Unlock()
	return l.pending == nil || l.w.refused
}

// Join returns when everything sent has been handed to the stream, so that a
// control frame sent afterwards comes after it. It ends the lane.
func (l *Lane) Join() {
	l.w.mu.Lock()
	defer l.w.mu.Unlock()
	l.wait()
	delete(l.w.lanes, l)
}

// wait waits for the lane's place to be empty; false means never.
func (l *Lane) wait() bool {
	for l.pending != nil && !l.w.refused {
		l.empty.Wait()
	}
	return !l.w.refused
}

// take is the Writer's end. Called with the Writer's mu held.
func (l *Lane) take() *Frame {
	f := l.pending
	l.pending = nil
	l.empty.Signal()
	return f
}
