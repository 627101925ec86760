package rpc

import (
	"context"

	"github.com/pillion-sidecar/pillion/rpc/convert"
	"github.com/pillion-sidecar/pillion/rpc/jsonrpc"
)

// maxIgnored bounds the memory of unknown notifications.
const maxIgnored = 64

// handle is the one handler of the connection.
func (s *server) handle(ctx context.Context, req *jsonrpc.Request) (result any, err error) {
	answered := s.trace.received(req)
	defer func() { answered(result, err) }()
	return convert.Handle(s.log, req, func() (any, error) { return s.dispatch(ctx, req) })
}

func (s *server) dispatch(ctx context.Context, req *jsonrpc.Request) (any, error) {
	m, known := s.table[req.Method()]
	now := s.current()
	if !req.IsCall() {
		return s.notified(ctx, req, m, known, now)
	}
	if err := refusal(m, known, now); err != nil {
		return nil, err
	}
	switch {
	case !known:
		return nil, convert.MethodNotFound(req.Method())
	case m.Notification:
		return nil, convert.InvalidRequest(m.Name + " is a notification")
	}
	return m.serve(s, ctx, req)
}

// refusal is the answer to a request that comes at the wrong time, or nil.
func refusal(m route, known bool, now phase) error {
	switch {
	case now == created && m.Name != "initialize":
		return convert.NotInitialized("the first request must be initialize")
	case now == initializing && m.Name == "initialize", now == running && m.Name == "initialize":
		return convert.InvalidRequest("initialize was answered already")
	case now == initializing && !(known && m.Early):
		return convert.NotInitialized("waiting for the notification initialized")
	case now == shuttingDown:
		return convert.InvalidRequest("the server is shutting down")
	}
	return nil
}

func (s *server) notified(ctx context.Context, req *jsonrpc.Request, m route, known bool, now phase) (any, error) {
	switch {
	case known && m.Name == "exit":
		return m.serve(s, ctx, req)
	case now == created, now == shuttingDown, now == initializing && !m.Early:
		return nil, nil
	case !known || !m.Notification:
		s.ignore(req.Method())
		return nil, nil
	}
	return m.serve(s, ctx, req)
}

// ignore logs an unknown notification, once per method.
func (s *server) ignore(method string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.ignored) < maxIgnored && !s.ignored[method] {
		s.ignored[string([]byte(method))] = true // the request's string dies with it
		s.log.Debug("ignored notification", "method", method)
	}
}
