package rpc

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/pillion-sidecar/pillion/rpc/convert"
	"github.com/pillion-sidecar/pillion/rpc/jsonrpc"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

// argument is where a bridged method has its params.
const argument = "/arguments/0"

// bridgedCommands are the methods that workspace/executeCommand stands for, so that an
// editor without a client of ours can call them.
var bridgedCommands = map[string]func(*server, context.Context, jsonrpc.ID, *protocol.ExecuteCommandParams) (any, error){
	"pillion.exec":        (*server).bridgedExec,
	"pillion.exec.cancel": (*server).bridgedCancel,
	"pillion.check":       (*server).bridgedCheck,
}

// bridged announces the commands, where they are served: an editor shows what is
// announced in its palette.
func (s *server) bridged() *protocol.ExecuteCommandOptions {
	if !s.bridge {
		return nil
	}
	return &protocol.ExecuteCommandOptions{Commands: slices.Sorted(maps.Keys(bridgedCommands)), WorkDoneProgress: true}
}

// executeCommand is off unless initialize asked for it: whatever can call an
// editor's commands, a link in its Markdown or another extension, could call these.
func (s *server) executeCommand(ctx context.Context, req *jsonrpc.Request) (any, error) {
	if !s.bridge {
		return nil, convert.MethodNotFound(req.Method())
	}
	p := new(protocol.ExecuteCommandParams)
	if bad := protocol.DecodeStrict(req.Params(), p, nullableArgument); bad != nil {
		return nil, bad
	}
	serve := bridgedCommands[p.Command]
	if serve == nil {
		return nil, convert.Word("/command", p.Command, s.bridged().Commands...)
	}
	if n := len(p.Arguments); n != 1 {
		return nil, protocol.Invalid("/arguments", "one, the params of the method", fmt.Sprint(n))
	}
	return serve(s, ctx, req.ID(), p)
}

// nullableArgument leaves an argument's content to its own decoding.
func nullableArgument(p jsontext.Pointer) bool { return strings.HasPrefix(string(p), argument+"/") }

// bridgedExec takes the tokens of the params around it for those of the command:
// that is where an LSP library puts them.
func (s *server) bridgedExec(ctx context.Context, id jsonrpc.ID, b *protocol.ExecuteCommandParams) (any, error) {
	p := new(protocol.ExecParams)
	if bad := protocol.DecodeStrict(b.Arguments[0], p, protocol.ExecNull); bad != nil {
		return nil, below(argument, bad)
	}
	if p.Approval != nil {
		return nil, protocol.Invalid(argument+"/approval", "none over workspace/executeCommand", "one")
	}
	given := map[string]bool{} // around it
	for _, t := range []struct {
		name         string
		outer, inner *protocol.ProgressToken
	}{
		{"workDoneToken", &b.WorkDoneToken, &p.WorkDoneToken},
		{"partialResultToken", &b.PartialResultToken, &p.PartialResultToken},
	} {
		switch {
		case t.outer.IsZero():
		case !t.inner.IsZero():
			return nil, protocol.Invalid(argument+"/"+t.name, "one token, here or in the params around it", "two")
		default:
			*t.inner, given["/"+t.name] = *t.outer, true
		}
	}
	result, err := s.execute(ctx, id, p, asked{bridged: true})
	if bad := convert.Params(err); bad != nil && given[bad.Path] {
		return nil, bad
	}
	return result, below(argument, err)
}

func (s *server) bridgedCancel(_ context.Context, _ jsonrpc.ID, b *protocol.ExecuteCommandParams) (any, error) {
	p := new(protocol.CancelParams)
	if bad := protocol.DecodeStrict(b.Arguments[0], p, protocol.NoNull); bad != nil {
		return nil, below(argument, bad)
	}
	result, err := s.execCancel(p)
	return result, below(argument, err)
}

func (s *server) bridgedCheck(ctx context.Context, id jsonrpc.ID, b *protocol.ExecuteCommandParams) (any, error) {
	result, err := s.checkAll(ctx, id, b.Arguments[0])
	return result, below(argument, err)
}
