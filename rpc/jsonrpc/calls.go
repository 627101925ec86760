package jsonrpc

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strconv"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/jsonrpc2"
)

// Calls are the requests that the server makes. The library's own Call doesn't fit: its
// ids are 1, 2, 3, as most clients' are, it takes nothing back when its context ends, and
// the stream would take its frames for answers.
type Calls struct {
	w        *Writer
	withdraw string // the notification that takes a request back, with its id
	log      *slog.Logger
	Trace    Tracer

	mu      sync.Mutex
	last    int64
	waiting map[string]asked
	ignored int64 // answers to nothing that is asked
}

// asked is a request that waits for its answer.
type asked struct {
	answer chan Reply // buffered: who delivers never waits
	use    func(Reply)
}

// Reply is a client's answer as it came.
type Reply struct {
	Result    jsontext.Value
	Code      jsonrpc2.Code // of an error
	Failed    bool          // it is an error
	Malformed bool          // it is no proper response
}

// Tracer gets our requests and the answers to them.
type Tracer interface {
	Asked(method, id string, params []byte)
	Answered(method, id string, r Reply)
}

// untraced is the Tracer of who has none.
type untraced struct{}

func (untraced) Asked(string, string, []byte)   {}
func (untraced) Answered(string, string, Reply) {}

func newCalls(w *Writer, withdraw string, log *slog.Logger) *Calls {
	return &Calls{w: w, withdraw: withdraw, log: log, Trace: untraced{}, waiting: map[string]asked{}}
}

// Do asks the client and waits for its answer. When ctx ends first it takes the
// request back and reports false.
func (c *Calls) Do(ctx context.Context, method string, params any) (Reply, bool) {
	return c.DoInOrder(ctx, method, params, func(Reply) {})
}

// DoInOrder is Do for an answer that what the client sends next builds on: use has it,
// on the reader goroutine, before that is read; it must not wait.
func (c *Calls) DoInOrder(ctx context.Context, method string, params any, use func(Reply)) (Reply, bool) {
	raw, err := Codec{}.Marshal(params)
	if err != nil {
		panic(err) // every params type is ours and marshals
	}
	id, answer := c.begin(use)
	f := NewFrame()
	f.Buf = jsonrpc2.AppendCall(f.Buf, jsonrpc2.NewStringID(id), method, raw)
	if c.w.Send(f) != nil {
		c.forget(id)
		return Reply{}, false
	}
	c.Trace.Asked(method, id, raw)
	select {
	case r := <-answer:
		c.Trace.Answered(method, id, r)
		return r, true
	case <-ctx.Done():
	}
	if c.forget(id) {
		_ = c.w.Send(Notification(c.withdraw, map[string]string{"id": id}))
	}
	return Reply{}, false
}

// begin takes an id. No client makes up ones like these, so that even one with a
// single table for both directions can't confuse them.
func (c *Calls) begin(use func(Reply)) (string, <-chan Reply) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last++
	id, answer := "pillion-"+strconv.FormatInt(c.last, 10), make(chan Reply, 1)
	c.waiting[id] = asked{answer, use}
	return id, answer
}

// forget reports whether the request was still waiting.
func (c *Calls) forget(id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, waiting := c.waiting[id]
	delete(c.waiting, id)
	return waiting
}

// response routes an answer on the reader goroutine, which it must not hold up.
// The message dies with the next one, so what is kept is a copy.
func (c *Calls) response(m *jsonrpc2.Response) {
	r := Reply{Result: bytes.Clone(m.Result()), Failed: m.Err() != nil}
	if wire := (*jsonrpc2.Error)(nil); errors.As(m.Err(), &wire) {
		r.Code = wire.Code
	}
	c.deliver(m.ID(), r)
}

// garbled ends the wait for an answer that can't be read, such as one with two
// results of which a decoder would pick one.
func (c *Calls) garbled(body []byte) {
	if depth(body) > maxDepth {
		return
	}
	e, err := scanEnvelope(body)
	if err == nil && e.method == 0 && e.idKind == '"' {
		c.deliver(DecodeID(e.id), Reply{Malformed: true})
	}
}

// tooLong ends the wait for an answer of which only the id was read, if it is one.
func (c *Calls) tooLong(id jsonrpc2.ID) bool {
	name, _ := id.StringValue()
	c.mu.Lock()
	_, waiting := c.waiting[name]
	c.mu.Unlock()
	if waiting {
		c.deliver(id, Reply{Malformed: true})
	}
	return waiting
}

// deliver counts and drops what is not waited for: an answer that came late, or twice.
func (c *Calls) deliver(id jsonrpc2.ID, r Reply) {
	name, _ := id.StringValue()
	c.mu.Lock()
	a, waiting := c.waiting[name]
	delete(c.waiting, name)
	if !waiting {
		c.ignored++
	}
	c.mu.Unlock()
	if !waiting {
		c.log.Debug("answer to a request that nobody waits for")
		return
	}
	a.use(r)
	a.answer <- r
}

// Strays is the number of answers that were ignored.
func (c *Calls) Strays() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ignored
}
