package rpc

import (
	"context"

	"github.com/pillion-sidecar/pillion/rpc/jsonrpc"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

// serveFunc serves one message on the reader goroutine. A handler that takes long calls
// jsonrpc.Async once its place in the order is kept.
type serveFunc func(s *server, ctx context.Context, req *jsonrpc.Request) (any, error)

// handlers has one for each row of Methods that a client may call.
var handlers = map[string]serveFunc{
	"initialize":                          with((*server).initialize),
	"initialized":                         (*server).initialized,
	"shutdown":                            (*server).shutdown,
	"exit":                                (*server).exit,
	"exec":                                (*server).exec,
	"exec/retry":                          aside((*server).execRetry),
	"exec/cancel":                         strictly((*server).execCancel),
	"exec/cancelAll":                      strictly((*server).execCancelAll),
	"exec/ack":                            strictly((*server).execAck),
	"exec/write":                          aside((*server).execWrite),
	"exec/resize":                         strictly((*server).execResize),
	"exec/signal":                         strictly((*server).execSignal),
	"exec/forward":                        strictly((*server).execForward),
	"exec/list":                           strictly((*server).execList),
	"exec/read":                           aside((*server).execRead),
	"exec/release":                        strictly((*server).execRelease),
	"exec/effects":                        aside((*server).execEffects),
	"exec/undo":                           aside((*server).execUndo),
	"undo/list":                           aside((*server).undoList),
	"sandbox/list":                        aside((*server).sandboxList),
	"sandbox/reset":                       aside((*server).sandboxReset),
	"guard/check":                         (*server).guardCheck,
	"guard/explain":                       strictly((*server).guardExplain),
	"guard/grants":                        strictly((*server).guardGrants),
	"server/status":                       aside((*server).serveStatus),
	"workspace/executeCommand":            (*server).executeCommand,
	"workspace/didChangeWorkspaceFolders": with((*server).didChangeFolders),
	"workspace/didChangeConfiguration":    (*server).didChangeConfiguration,
	"$/cancelRequest":                     with((*server).cancelRequest),
	"window/workDoneProgress/cancel":      with((*server).workDoneCancel),
	"$/setTrace":                          with((*server).setTrace),
}

// route is a method and what serves it.
type route struct {
	protocol.Method
	serve serveFunc
}

// served is the part of Methods that a client may call.
func served() map[string]route {
	m := map[string]route{}
	for _, row := range protocol.Methods {
		if !row.ToClient {
			m[row.Name] = route{row, handlers[row.Name]}
		}
	}
	return m
}

// with decodes params of LSP, ignoring unknown members: editors send many.
func with[P any](f func(*server, *P) (any, error)) serveFunc {
	return func(s *server, _ context.Context, req *jsonrpc.Request) (any, error) {
		p := new(P)
		if bad := protocol.Decode(req.Params(), p); bad != nil {
			return nil, bad
		}
		return f(s, p)
	}
}

// strictly decodes params of methods that are our own.
func strictly[P any](f func(*server, *P) (any, error)) serveFunc {
	return aside(func(s *server, _ context.Context, _ jsonrpc.ID, p *P) (any, error) { return f(s, p) })
}

// aside is strictly for methods that may let the reader go on.
func aside[P any](f func(*server, context.Context, jsonrpc.ID, *P) (any, error)) serveFunc {
	return func(s *server, ctx context.Context, req *jsonrpc.Request) (any, error) {
		p := new(P)
		if bad := protocol.DecodeStrict(req.Params(), p, protocol.NoNull); bad != nil {
			return nil, bad
		}
		return f(s, ctx, req.ID(), p)
	}
}
