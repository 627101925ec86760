package rpc

import "sync"

// lane is the outgoing FIFO of one command. It holds one frame: with the chunk
// that is being made into the next one, that is all the memory a command can
// take up at a client that has stopped reading.
type lane struct {
	w       *Writer
	pending *frame
	empty   *sync.Cond // pending was taken, or nothing will be
}

func (w *Writer) lane() *lane {
	w.mu.Lock()
	defer w.mu.Unlock()
	l := &lane{w: w, empty: sync.NewCond(&w.mu)}
	w.lanes[l] = struct{}{}
	return l
}

// send queues a frame behind the lane's others, waiting for its place. A lane
// gets in line again only with its next frame, which is what makes the Writer's
// line a round-robin.
func (l *lane) send(f *frame) error {
	l.w.mu.Lock()
	defer l.w.mu.Unlock()
	if !l.wait() {
		f.free()
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

// free says that the next frame will not have to wait for its place.
func (l *lane) free() bool {
	l.w.mu.Lock()
	defer l.w.mu.Unlock()
	return l.pending == nil || l.w.refused
}

// join returns when everything sent has been handed to the stream, so that a
// control frame sent afterwards comes after it. It ends the lane.
func (l *lane) join() {
	l.w.mu.Lock()
	defer l.w.mu.Unlock()
	l.wait()
	delete(l.w.lanes, l)
}

// wait waits for the lane's place to be empty; false means never.
func (l *lane) wait() bool {
	for l.pending != nil && !l.w.refused {
		l.empty.Wait()
	}
	return !l.w.refused
}

// take is the Writer's end. Called with the Writer's mu held.
func (l *lane) take() *frame {
	f := l.pending
	l.pending = nil
	l.empty.Signal()
	return f
}
