package rpc

import (
	"context"
	"time"

	"github.com/pillion-sidecar/pillion/rpc/convert"
	"github.com/pillion-sidecar/pillion/rpc/jsonrpc"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

// inFlight are the requests of one method that are not answered yet. They are
// bounded, for each holds a goroutine, and known, so that a cancel finds one. The
// server's mutex guards it.
type inFlight struct {
	method string
	most   int
	stops  map[jsonrpc.ID]context.CancelFunc
}

func newInFlight(method string, most int) inFlight {
	return inFlight{method, most, map[jsonrpc.ID]context.CancelFunc{}}
}

func (f inFlight) enter(id jsonrpc.ID, stop context.CancelFunc) error {
	if n := len(f.stops); n >= f.most {
		data := protocol.BusyData{ErrorData: convert.Retryable("serverBusy"), Queued: n, RetryAfterMs: time.Second.Milliseconds()}
		return convert.Refuse(protocol.CodeServerBusy, data, "busy: %d requests of %s are in flight", n, f.method)
	}
	f.stops[id] = stop
	return nil
}

// cancel ends the wait of that request, if there is one.
func (f inFlight) cancel(id jsonrpc.ID) {
	if stop := f.stops[id]; stop != nil {
		stop()
	}
}

func (s *server) begin(f inFlight, id jsonrpc.ID, stop context.CancelFunc) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return f.enter(id, stop)
}

func (s *server) done(f inFlight, id jsonrpc.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(f.stops, id)
}
