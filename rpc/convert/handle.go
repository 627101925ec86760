package convert

import (
	"log/slog"

	"github.com/sourcegraph/conc/panics"

	"github.com/pillion-sidecar/pillion/rpc/display"
	"github.com/pillion-sidecar/pillion/rpc/jsonrpc"
)

// Handle serves a request by dispatch. The library ends a connection on a panic and on an
// error of a notification, so neither gets out of here.
func Handle(log *slog.Logger, req *jsonrpc.Request, dispatch func() (any, error)) (result any, err error) {
	caught := panics.Try(func() { result, err = dispatch() })
	if caught != nil {
		err = Internal(log, "", "method", req.Method(), "panic", caught.Value, "stack", string(caught.Stack))
	}
	switch {
	case err == nil && req.IsCall():
		return result, nil
	case req.IsCall():
		return nil, Error(err, display.Asked{}, "", log)
	case err != nil:
		log.Warn("notification failed", "method", req.Method(), "error", err)
	}
	return nil, nil
}
