package jsonrpc

// attempt writes what can be written without waiting and returns how much that
// was.
type attempt func([]byte) int

// directMost bounds the output that its own goroutine writes, in bytes: what is larger is
// written while the next chunk is being made.
const directMost = 4 << 10

// direct writes a frame at once if no other write goes on and nothing waits: the hop to
// the Writer's goroutine is most of what a short one costs. What the client's pipe does
// not take is left to run, and so is every error, which run meets again. Called with mu
// held, and let go of for the write; it reports whether the frame was dealt with.
func (w *Writer) direct(f *Frame) bool {
	if w.try == nil || w.busy || w.begun != nil || len(w.control) > 0 || len(w.ready) > 0 {
		return false
	}
	w.busy = true
	buf := w.framing.seal(f)
	w.mu.Unlock()
	n := w.try(buf)
	w.mu.Lock()
	w.busy = false
	w.Written.Add(int64(n))
	if f.sealed = buf[n:]; len(f.sealed) == 0 {
		f.Free()
	} else if !w.broken {
		w.begun = f
	}
	if w.begun != nil || len(w.control) > 0 || len(w.ready) > 0 || w.closing {
		w.work.Signal() // run found the Writer busy
	}
	return true
}
