package rpc

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

// calls are the requests that the server makes. The library's own Call is no use
// here: its ids are 1, 2, 3, as most clients' are, it takes nothing back when its
// context ends, and the stream would take its frames for answers.
type calls struct {
	w     *Writer
	log   *slog.Logger
	trace *tracer // may be nil

	mu      sync.Mutex
	last    int64
	waiting map[string]chan reply // buffered: who delivers never waits
	ignored int64                 // answers to nothing that is asked
}

// reply is a client's answer as it came.
type reply struct {
	result    jsontext.Value
	code      jsonrpc2.Code // of an error
	failed    bool          // it is an error
	malformed bool          // it is no proper response
}

func newCalls(w *Writer, log *slog.Logger) *calls {
	return &calls{w: w, log: log, waiting: map[string]chan reply{}}
}

// do asks the client and waits for its answer. When ctx ends first it takes the
// request back and reports false.
func (c *calls) do(ctx context.Context, method string, params any) (reply, bool) {
	raw, err := codec{}.Marshal(params)
	if err != nil {
		panic(err) // every params type is ours and marshals
	}
	id, answer := c.begin()
	f := newFrame()
	f.buf = jsonrpc2.AppendCall(f.buf, jsonrpc2.NewStringID(id), method, raw)
	if c.w.send(f) != nil {
		c.forget(id)
		return reply{}, false
	}
	c.trace.asked(method, id, raw)
	select {
	case r := <-answer:
		c.trace.answered(method, id, r)
		return r, true
	case <-ctx.Done():
	}
	if c.forget(id) {
		_ = c.w.send(notification("$/cancelRequest", CancelRequestParams{ID: requestID(jsonrpc2.NewStringID(id))}))
	}
	return reply{}, false
}

// begin takes an id. No client makes up ones like these, so that even one with a
// single table for both directions can't confuse them.
func (c *calls) begin() (string, <-chan reply) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last++
	id, answer := "pillion-"+strconv.FormatInt(c.last, 10), make(chan reply, 1)
	c.waiting[id] = answer
	return id, answer
}

// forget reports whether the request was still waiting.
func (c *calls) forget(id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, waiting := c.waiting[id]
	delete(c.waiting, id)
	return waiting
}

// response routes an answer on the reader goroutine, which it must not hold up.
// The message dies with the next one, so what is kept is a copy.
func (c *calls) response(m *jsonrpc2.Response) {
	r := reply{result: bytes.Clone(m.Result()), failed: m.Err() != nil}
	if wire := (*jsonrpc2.Error)(nil); errors.As(m.Err(), &wire) {
		r.code = wire.Code
	}
	c.deliver(m.ID(), r)
}

// garbled ends the wait for an answer that can't be read, such as one with two
// results of which a decoder would pick one.
func (c *calls) garbled(body []byte) {
	if depth(body) > maxDepth {
		return
	}
	e, err := scanEnvelope(body)
	if err == nil && e.method == 0 && e.idKind == '"' {
		c.deliver(decodeID(e.id), reply{malformed: true})
	}
}

// tooLong ends the wait for an answer of which only the id was read, if it is one.
func (c *calls) tooLong(id jsonrpc2.ID) bool {
	name, _ := id.StringValue()
	c.mu.Lock()
	_, waiting := c.waiting[name]
	c.mu.Unlock()
	if waiting {
		c.deliver(id, reply{malformed: true})
	}
	return waiting
}

// deliver counts and drops what nobody waits for: an answer that came late, or
// twice.
func (c *calls) deliver(id jsonrpc2.ID, r reply) {
	c.mu.Lock()
	defer c.mu.Unlock()
	name, _ := id.StringValue()
	answer, waiting := c.waiting[name]
	if !waiting {
		c.ignored++
		c.log.Debug("answer to a request that nobody waits for")
		return
	}
	delete(c.waiting, name)
	answer <- r
}

// strays is the number of answers that were ignored.
func (c *calls) strays() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ignored
}
