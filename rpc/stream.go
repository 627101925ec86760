package rpc

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"

	"go.lsp.dev/jsonrpc2"
)

// stream is the connection under jsonrpc2.Conn. It must not have methods named
// ReadFrame and WriteFrame: with them the library would take over framing
// decisions and accept batches.
//
// What the library would answer by ending the connection is answered here, and
// the connection lives on; only a message whose end is unknown is fatal.
type stream struct {
	in    packets      // used by the one goroutine that reads
	limit int64        // bytes of a message, either way
	close func() error // unblocks a Read that waits for the client
	w     *Writer
	ended func(error)
	log   *slog.Logger
	calls *calls // gets the answers
	read  atomic.Int64

	mu       sync.Mutex
	inFlight map[jsonrpc2.ID]struct{}
	answered *sync.Cond // inFlight has shrunk, or released
	released bool
	release  chan struct{}
}

// newStream makes a stream of in and w, which have the same framing. ended is
// told why nothing more can be read; it must not block.
func newStream(in io.Reader, w *Writer, limit int64, ended func(error), log *slog.Logger) *stream {
	s := &stream{
		in: w.framing.packets(in, limit), limit: limit, w: w, ended: ended, log: log,
		inFlight: map[jsonrpc2.ID]struct{}{}, release: make(chan struct{}),
		close: func() error { return nil }, calls: newCalls(w, log),
	}
	if c, ok := in.(io.Closer); ok {
		s.close = c.Close
	}
	s.answered = sync.NewCond(&s.mu)
	return s
}

// Read returns the next request or notification. At the end of the input it
// first waits for release: the library drops the answers of handlers that are
// still running once Read has failed.
func (s *stream) Read(context.Context) (jsonrpc2.Message, int64, error) {
	for {
		s.w.waitRoom()
		msg, n, err := s.next()
		if err != nil {
			s.ended(err)
			<-s.release
			return nil, 0, err
		}
		if msg != nil {
			return msg, n, nil
		}
	}
}

// next reads one message. A nil message with a nil error was dealt with here.
func (s *stream) next() (jsonrpc2.Message, int64, error) {
	p, err := s.in.next()
	if err != nil {
		return nil, 0, err
	}
	s.read.Add(p.size)
	if p.fault != nil {
		if s.calls.tooLong(p.id) {
			p.id = jsonrpc2.ID{} // it is ours: no request of the client has it
		}
		s.reject(p.id, p.fault)
		return nil, 0, nil
	}
	msg, id, fault := decodeMessage(p.body)
	if fault != nil {
		s.calls.garbled(p.body)
		s.reject(id, fault)
		return nil, 0, nil
	}
	return s.accept(msg), p.size, nil
}

// accept registers a request's id. A second request with an id in flight is
// refused under id null: an answer with its id would be taken for the first
// one's.
func (s *stream) accept(msg jsonrpc2.Message) jsonrpc2.Message {
	switch m := msg.(type) {
	case *jsonrpc2.Response:
		s.calls.response(m)
		return nil
	case *jsonrpc2.Call:
		if !s.begin(m.ID()) {
			s.reject(jsonrpc2.ID{}, invalidRequest("this id is in flight"))
			return nil
		}
	}
	return msg
}

func (s *stream) begin(id jsonrpc2.ID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, dup := s.inFlight[id]; dup {
		return false
	}
	s.inFlight[id] = struct{}{}
	return true
}

// reject answers a message that is no request.
func (s *stream) reject(id jsonrpc2.ID, fault *jsonrpc2.Error) {
	s.mu.Lock()
	if _, dup := s.inFlight[id]; dup {
		id = jsonrpc2.ID{}
	}
	s.mu.Unlock()
	f := newFrame()
	f.buf = jsonrpc2.AppendResponse(f.buf, id, nil, fault)
	_ = s.w.send(f) // errGone: whoever broke the Writer has said so
}

// Write queues a message of the Conn, which are answers only. It doesn't block.
func (s *stream) Write(_ context.Context, msg jsonrpc2.Message) (int64, error) {
	f := newFrame()
	f.buf = jsonrpc2.AppendMessage(f.buf, msg)
	n := int64(f.size() - headroom)
	// The Conn's own message types can't be inspected, so the id is read back.
	view, err := jsonrpc2.ScanMessageView(f.buf[headroom:])
	if err != nil {
		f.free()
		return 0, err
	}
	id, _ := view.ID.ID()
	if n > s.limit {
		f.free()
		f = newFrame()
		f.buf = jsonrpc2.AppendResponse(f.buf, id, nil, answerTooLarge(s.limit, n))
	}
	return n, s.finish(id, f)
}

// finish sends an answer and frees its id in one step for the reader: a client
// may use an id again as soon as it has the answer, and shutdown must not see
// the request answered before the answer is queued.
func (s *stream) finish(id jsonrpc2.ID, answer *frame) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.inFlight, id)
	s.answered.Broadcast()
	return s.w.send(answer)
}

// drained waits until at most keep requests are unanswered, or until the stream
// is let go.
func (s *stream) drained(keep int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.inFlight) > keep && !s.released {
		s.answered.Wait()
	}
}

// letGo ends every wait of the stream.
func (s *stream) letGo() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.released {
		s.released = true
		close(s.release)
		s.answered.Broadcast()
	}
}

// Close unblocks a Read and makes it fail.
func (s *stream) Close() error {
	s.letGo()
	if err := s.close(); err != nil && !errors.Is(err, io.ErrClosedPipe) {
		return err
	}
	return nil
}
