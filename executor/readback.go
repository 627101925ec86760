package executor

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Reader reads one stream of a command that is queued, running or finished. Bytes that it
// has found stay readable until Close, whatever is evicted meanwhile.
type Reader struct {
	engine *Engine
	run    *Run // nil: the command had ended
	id     string
	name   Stream
	stream *stream // nil: the command has not started
}

// Reader finds a stream. It does no slow work: rpc calls it in arrival order.
// Errors: *ParamError, *UnknownError, *ExpiredError.
func (e *Engine) Reader(id string, name Stream) (*Reader, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.reader(id, name)
}

// reader is Reader with mu held.
func (e *Engine) reader(id string, name Stream) (*Reader, error) {
	r := &Reader{engine: e, run: e.runs[id], id: id, name: name}
	if r.run == nil {
		return r, e.shelf.hold(r)
	}
	if have := r.run.req.streams(); !slices.Contains(have, name) {
		return nil, noStream(have, name)
	}
	return r, r.hold(r.run.streams)
}

// streams are those that a command of this request has.
func (r Request) streams() []Stream {
	switch {
	case r.Terminal != nil:
		return []Stream{Pty}
	case r.Output.Merge:
		return []Stream{Stdout}
	}
	return []Stream{Stdout, Stderr}
}

func noStream(have []Stream, name Stream) error {
	return &ParamError{Path: "/stream", Expected: "a stream of this command: " + strings.Trim(fmt.Sprint(have), "[]"), Got: fmt.Sprintf("%q", name)}
}

// hold takes the stream of that name, if the command has streams.
func (r *Reader) hold(streams []*stream) error {
	for _, s := range streams {
		if s.name != r.name {
			continue
		}
		if !s.spool.Hold() {
			return &ExpiredError{ID: r.id, Total: s.spool.Size(), At: time.Now()}
		}
		r.stream = s
		return nil
	}
	if len(streams) > 0 {
		var have []Stream
		for _, s := range streams {
			have = append(have, s.name)
		}
		return noStream(have, r.name)
	}
	return nil
}

// hold is Reader.hold of a finished command.
func (s *shelf) hold(r *Reader) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if k, ok := s.kept.find(r.id); ok {
		return r.hold(k.streams)
	}
	if e, ok := s.gone.find(r.id); ok {
		return &ExpiredError{ID: e.id, Total: e.total[r.name], At: e.at}
	}
	return &UnknownError{ID: r.id}
}

// Close lets go of what was held.
func (r *Reader) Close() {
	if r.stream != nil {
		r.stream.spool.Drop()
	}
}

// Read returns the bytes at q.Offset. Where there are none yet it waits for
// some, for the end of the stream, or q.Wait. Errors: *CancelledError with ctx,
// *UnknownError of a command that never started, *ExpiredError.
func (r *Reader) Read(ctx context.Context, q ReadRequest) (Piece, error) {
	late := time.NewTimer(q.Wait)
	defer late.Stop()
	from := int64(-1) // until there is a stream to count from
	for {
		if err := r.arrive(); err != nil {
			return Piece{}, err
		}
		var p Piece
		news, over := r.news()
		if r.stream == nil {
			p.Offset, p.Bytes = max(0, q.Offset), []byte{}
		} else {
			if from < 0 {
				from = r.stream.start(q)
			}
			var err error
			if p, err = r.stream.piece(from, q); err != nil {
				return Piece{}, err
			}
		}
		p.Running = r.running()
		if q.Wait <= 0 || p.EOF || len(p.Bytes)+len(p.Gaps) > 0 {
			return p, nil
		}
		select {
		case <-news:
		case <-over:
		case <-late.C:
			return p, nil
		case <-ctx.Done():
			return Piece{}, &CancelledError{Phase: "reading", Why: Cancelled}
		}
	}
}

// arrive takes the stream of a command that has started meanwhile.
func (r *Reader) arrive() error {
	if r.stream != nil {
		return nil
	}
	r.engine.mu.Lock()
	defer r.engine.mu.Unlock()
	if r.run.streams == nil && r.run.state == StateFinished {
		return &UnknownError{ID: r.id}
	}
	return r.hold(r.run.streams)
}

// news are closed when there is something to look at. They must be taken before
// looking, so that nothing is missed.
func (r *Reader) news() (news, over <-chan struct{}) {
	if r.stream == nil {
		return r.run.up, nil
	}
	s := r.stream
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fresh == nil {
		s.fresh = make(chan struct{})
	}
	return s.fresh, s.over
}

func (r *Reader) running() bool {
	if r.run == nil {
		return false
	}
	r.engine.mu.Lock()
	defer r.engine.mu.Unlock()
	return r.run.state != StateFinished
}
