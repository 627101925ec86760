package jsonrpc

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"

	"go.lsp.dev/jsonrpc2"
)

// Stream is the connection under jsonrpc2.Conn. It must not have methods named
// ReadFrame and WriteFrame: with them the library would take over framing
// decisions and accept batches.
//
// What the library would answer by ending the connection is answered here, and
// the connection lives on; only a message whose end is unknown is fatal.
type Stream struct {
	StreamOptions
	in       Packets      // used by the one goroutine that reads
	close    func() error // unblocks a Read that waits for the client
	w        *Writer
	Calls    *Calls // gets the answers
	Received atomic.Int64

	mu       sync.Mutex
	inFlight map[jsonrpc2.ID]struct{}
	answered *sync.Cond // inFlight has shrunk, or released
	released bool
	release  chan struct{}
}

// StreamOptions are what a stream runs with; all of them are needed.
type StreamOptions struct {
	Limit    int64       // bytes of a message, either way
	Refuse   Refuse      // answers what is not a request
	Withdraw string      // the notification that takes a request of ours back
	Ended    func(error) // gets the reason why nothing more can be read; must not block
	Log      *slog.Logger
}

// NewStream makes a stream of in and w, which have the same framing.
func NewStream(in io.Reader, w *Writer, o StreamOptions) *Stream {
	s := &Stream{
		StreamOptions: o, in: w.framing.Packets(in, o.Limit), w: w,
		inFlight: map[jsonrpc2.ID]struct{}{}, release: make(chan struct{}),
		close: func() error { return nil }, Calls: newCalls(w, o.Withdraw, o.Log),
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
func (s *Stream) Read(context.Context) (jsonrpc2.Message, int64, error) {
	for {
		s.w.waitRoom()
		msg, n, err := s.next()
		if err != nil {
			if bad := new(FramingError); errors.As(err, &bad) { // it is the last that the client hears
				s.reject(jsonrpc2.ID{}, &Fault{Kind: NotAFrame, Detail: bad.Error()})
			}
			s.Ended(err)
			<-s.release
			return nil, 0, err
		}
		if msg != nil {
			return msg, n, nil
		}
	}
}

// next reads one message. A nil message with a nil error was dealt with here.
func (s *Stream) next() (jsonrpc2.Message, int64, error) {
	p, err := s.in.Next()
	if err != nil {
		return nil, 0, err
	}
	s.Received.Add(p.Size)
	if p.Fault != nil {
		if s.Calls.tooLong(p.ID) {
			p.ID = jsonrpc2.ID{} // it is ours: no request of the client has it
		}
		s.reject(p.ID, p.Fault)
		return nil, 0, nil
	}
	msg, id, fault := decodeMessage(p.Body)
	if fault != nil {
		s.Calls.garbled(p.Body)
		s.reject(id, fault)
		return nil, 0, nil
	}
	return s.accept(msg), p.Size, nil
}

// accept registers a request's id. A second request with an id in flight is
// refused under id null: an answer with its id would be taken for the first
// one's.
func (s *Stream) accept(msg jsonrpc2.Message) jsonrpc2.Message {
	switch m := msg.(type) {
	case *jsonrpc2.Response:
		s.Calls.response(m)
		return nil
	case *jsonrpc2.Call:
		if !s.begin(m.ID()) {
			s.reject(jsonrpc2.ID{}, invalid("this id is in flight"))
			return nil
		}
	}
	return msg
}

func (s *Stream) begin(id jsonrpc2.ID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, dup := s.inFlight[id]; dup {
		return false
	}
	s.inFlight[id] = struct{}{}
	return true
}

// reject answers a message that is not a request.
func (s *Stream) reject(id jsonrpc2.ID, fault *Fault) {
	s.mu.Lock()
	if _, dup := s.inFlight[id]; dup {
		id = jsonrpc2.ID{}
	}
	s.mu.Unlock()
	f := NewFrame()
	f.Buf = jsonrpc2.AppendResponse(f.Buf, id, nil, s.Refuse(*fault))
	_ = s.w.Send(f) // errGone: the cause has been reported
}

// Write queues a message of the Conn, which are answers only. It doesn't block.
func (s *Stream) Write(_ context.Context, msg jsonrpc2.Message) (int64, error) {
	f := NewFrame()
	f.Buf = jsonrpc2.AppendMessage(f.Buf, msg)
	n := int64(f.size() - headroom)
	// The Conn's own message types can't be inspected, so the id is read back.
	view, err := jsonrpc2.ScanMessageView(f.Buf[headroom:])
	if err != nil {
		f.Free()
		return 0, err
	}
	id, _ := view.ID.ID()
	if n > s.Limit {
		f.Free()
		f = NewFrame()
		f.Buf = jsonrpc2.AppendResponse(f.Buf, id, nil, s.Refuse(Fault{Kind: AnswerTooLarge, Limit: s.Limit, Got: n}))
	}
	return n, s.finish(id, f)
}

// finish sends an answer and frees its id in one step for the reader: a client
// may use an id again as soon as it has the answer, and shutdown must not see
// the request answered before the answer is queued.
func (s *Stream) finish(id jsonrpc2.ID, answer *Frame) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.inFlight, id)
	s.answered.Broadcast()
	return s.w.Send(answer)
}

// Drained waits until at most keep requests are unanswered, or until the stream
// is let go.
func (s *Stream) Drained(keep int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.inFlight) > keep && !s.released {
		s.answered.Wait()
	}
}

// LetGo ends every wait of the stream.
func (s *Stream) LetGo() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.released {
		s.released = true
		close(s.release)
		s.answered.Broadcast()
	}
}

// Close unblocks a Read and makes it fail.
func (s *Stream) Close() error {
	s.LetGo()
	if err := s.close(); err != nil && !errors.Is(err, io.ErrClosedPipe) {
		return err
	}
	return nil
}
