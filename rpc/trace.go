package rpc

import (
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"go.lsp.dev/jsonrpc2"
)

// The levels of $/setTrace.
const (
	traceOff int32 = iota
	traceMessages
	traceVerbose
)

var traceLevels = map[string]int32{"off": traceOff, "messages": traceMessages, "verbose": traceVerbose}

// tracer tells a client what the server does, where it asked for that. A client
// that doesn't keep up misses some of it. $/progress is not told: each piece of
// output would be sent twice. A nil tracer tells nothing.
type tracer struct {
	w       *Writer
	log     *slog.Logger
	level   atomic.Int32
	dropped atomic.Int64
	untold  atomic.Int64 // of dropped, not yet mentioned to the client
}

func newTracer(w *Writer, log *slog.Logger) *tracer { return &tracer{w: w, log: log} }

// set takes a value of the protocol; another one leaves everything as it is.
func (t *tracer) set(value string) {
	level, known := traceLevels[value]
	if !known {
		t.log.Warn("no such trace value; there are off, messages and verbose", "value", display(value))
		return
	}
	t.level.Store(level)
}

func (s *server) setTrace(p *SetTraceParams) (any, error) {
	s.trace.set(p.Value)
	return nil, nil
}

func (t *tracer) on() int32 {
	if t == nil {
		return traceOff
	}
	return t.level.Load()
}

// received tells of a message of the client. What it returns tells of the answer,
// if both are to be told: nothing but a few notifications of LSP's may come before
// the answer to initialize.
func (t *tracer) received(req *jsonrpc2.Request) (answered func(any, error)) {
	level := t.on()
	if level == traceOff {
		return func(any, error) {}
	}
	method := display(req.Method())
	if !req.IsCall() {
		t.tell(fmt.Sprintf("Received notification '%s'.", method), req.Params())
		return func(any, error) {}
	}
	begin, name := time.Now(), fmt.Sprintf("%s - (%s)", method, display(string(requestID(req.ID()).raw)))
	t.tell(fmt.Sprintf("Received request '%s'.", name), req.Params())
	return func(result any, err error) {
		took := time.Since(begin).Milliseconds()
		if err != nil {
			t.tell(fmt.Sprintf("Sending response '%s'. Request failed after %d ms (%d).", name, took, wireError(err, "", t.log).Code), nil)
			return
		}
		t.tellValue(fmt.Sprintf("Sending response '%s'. Processing request took %d ms.", name, took), result)
	}
}

// asked and answered tell of a request of the server.
func (t *tracer) asked(method, id string, params []byte) {
	t.tell(fmt.Sprintf("Sending request '%s - (%s)'.", method, id), params)
}

func (t *tracer) answered(method, id string, r reply) {
	how := ""
	if r.failed {
		how = fmt.Sprintf(" Request failed (%d).", r.code)
	}
	t.tell(fmt.Sprintf("Received response '%s - (%s)'.%s", method, id, how), r.result)
}

func (t *tracer) tellValue(message string, value any) {
	var raw []byte
	if t.on() == traceVerbose {
		raw, _ = codec{}.Marshal(value) // what can't be marshalled fails as an answer
	}
	t.tell(message, raw)
}

// tell sends one record, or counts it where the client is behind.
func (t *tracer) tell(message string, payload []byte) {
	level := t.on()
	if level == traceOff {
		return
	}
	p := LogTraceParams{Message: message}
	if level == traceVerbose && len(payload) > 0 {
		p.Verbose = redacted(payload)
	}
	lost := t.untold.Swap(0)
	if lost > 0 {
		p.Message = fmt.Sprintf("(%d records lost) %s", lost, p.Message)
	}
	if !t.w.offer(notification("$/logTrace", p)) {
		t.dropped.Add(1)
		t.untold.Add(lost + 1)
	}
}

// lost is how many records a client did not keep up with.
func (t *tracer) lost() int64 { return t.dropped.Load() }
