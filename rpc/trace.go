package rpc

import (
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/pillion-sidecar/pillion/rpc/convert"
	"github.com/pillion-sidecar/pillion/rpc/display"
	"github.com/pillion-sidecar/pillion/rpc/jsonrpc"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

// The levels of $/setTrace.
const (
	traceOff int32 = iota
	traceMessages
	traceVerbose
)

var traceLevels = map[protocol.TraceValue]int32{
	protocol.TraceOff: traceOff, protocol.TraceMessages: traceMessages, protocol.TraceVerbose: traceVerbose,
}

// tracer sends a client what the server does, if it asked for that. A client that doesn't
// keep up misses some of it. $/progress is not reported: each piece of output would be
// sent twice. A nil tracer sends nothing.
type tracer struct {
	w       *jsonrpc.Writer
	log     *slog.Logger
	level   atomic.Int32
	dropped atomic.Int64
	untold  atomic.Int64 // of dropped, not yet mentioned to the client
}

func newTracer(w *jsonrpc.Writer, log *slog.Logger) *tracer { return &tracer{w: w, log: log} }

// set takes a value of the protocol; another one leaves everything as it is.
func (t *tracer) set(value protocol.TraceValue) {
	level, known := traceLevels[value]
	if !known {
		t.log.Warn("no such trace value; there are off, messages and verbose", "value", display.Line(string(value)))
		return
	}
	t.level.Store(level)
}

func (s *server) setTrace(p *protocol.SetTraceParams) (any, error) {
	s.trace.set(p.Value)
	return nil, nil
}

func (t *tracer) on() int32 {
	if t == nil {
		return traceOff
	}
	return t.level.Load()
}

// received reports a message of the client. The returned function reports the answer, if
// both are to be reported: nothing but a few notifications of LSP's may come before the
// answer to initialize.
func (t *tracer) received(req *jsonrpc.Request) (answered func(any, error)) {
	level := t.on()
	if level == traceOff {
		return func(any, error) {}
	}
	method := display.Line(req.Method())
	if !req.IsCall() {
		t.tell(fmt.Sprintf("Received notification '%s'.", method), req.Params())
		return func(any, error) {}
	}
	begin, name := time.Now(), fmt.Sprintf("%s - (%s)", method, display.Line(string(protocol.NewRequestID(req.ID()).JSON())))
	t.tell(fmt.Sprintf("Received request '%s'.", name), req.Params())
	return func(result any, err error) {
		took := time.Since(begin).Milliseconds()
		if err != nil {
			t.tell(fmt.Sprintf("Sending response '%s'. Request failed after %d ms (%d).", name, took, convert.Error(err, display.Asked{}, "", t.log).Code), nil)
			return
		}
		t.tellValue(fmt.Sprintf("Sending response '%s'. Processing request took %d ms.", name, took), result)
	}
}

// Asked reports a request of the server.
func (t *tracer) Asked(method, id string, params []byte) {
	t.tell(fmt.Sprintf("Sending request '%s - (%s)'.", method, id), params)
}

// Answered reports the answer to one.
func (t *tracer) Answered(method, id string, r jsonrpc.Reply) {
	how := ""
	if r.Failed {
		how = fmt.Sprintf(" Request failed (%d).", r.Code)
	}
	t.tell(fmt.Sprintf("Received response '%s - (%s)'.%s", method, id, how), r.Result)
}

func (t *tracer) tellValue(message string, value any) {
	var raw []byte
	if t.on() == traceVerbose {
		raw, _ = jsonrpc.Codec{}.Marshal(value) // what can't be marshalled fails as an answer
	}
	t.tell(message, raw)
}

// tell sends one record, or counts it where the client doesn't keep up.
func (t *tracer) tell(message string, payload []byte) {
	level := t.on()
	if level == traceOff {
		return
	}
	p := protocol.LogTraceParams{Message: message}
	if level == traceVerbose && len(payload) > 0 {
		p.Verbose = redacted(payload)
	}
	lost := t.untold.Swap(0)
	if lost > 0 {
		p.Message = fmt.Sprintf("(%d records lost) %s", lost, p.Message)
	}
	if !t.w.Offer(jsonrpc.Notification("$/logTrace", p)) {
		t.dropped.Add(1)
		t.untold.Add(lost + 1)
	}
}

// lost is how many records a client did not keep up with.
func (t *tracer) lost() int64 { return t.dropped.Load() }
