package rpc

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/jsonrpc2"
)

// argument is where the params of a bridged method stand.
const argument = "/arguments/0"

// bridgedCommands are the methods that workspace/executeCommand stands for, so that an
// editor without a client of ours can call them.
var bridgedCommands = map[string]func(*server, context.Context, jsonrpc2.ID, *ExecuteCommandParams) (any, error){
	"pillion.exec":        (*server).bridgedExec,
	"pillion.exec.cancel": (*server).bridgedCancel,
	"pillion.check":       (*server).bridgedCheck,
}

// bridged announces the commands, where they are served: an editor shows what is
// announced in its palette.
func (s *server) bridged() *ExecuteCommandOptions {
	if !s.bridge {
		return nil
	}
	return &ExecuteCommandOptions{Commands: slices.Sorted(maps.Keys(bridgedCommands)), WorkDoneProgress: true}
}

// executeCommand is off unless initialize asked for it: whatever can call an
// editor's commands, a link in its Markdown or another extension, could call these.
func (s *server) executeCommand(ctx context.Context, req *jsonrpc2.Request) (any, error) {
	if !s.bridge {
		return nil, methodNotFound(req.Method())
	}
	p := new(ExecuteCommandParams)
	if bad := decodeStrict(req.Params(), p, nullableArgument); bad != nil {
		return nil, bad.fault()
	}
	serve := bridgedCommands[p.Command]
	if serve == nil {
		names := strings.Join(s.bridged().Commands, ", ")
		return nil, invalidParams("/command", "one of "+names, fmt.Sprintf("%.40q", p.Command))
	}
	if n := len(p.Arguments); n != 1 {
		return nil, invalidParams("/arguments", "one, the params of the method", fmt.Sprint(n))
	}
	return serve(s, ctx, req.ID(), p)
}

// nullableArgument leaves what stands in an argument to its own decoding.
func nullableArgument(p jsontext.Pointer) bool { return strings.HasPrefix(string(p), argument+"/") }

// bridgedExec takes the tokens of the params around it for those of the command:
// that is where an LSP library puts them.
func (s *server) bridgedExec(ctx context.Context, id jsonrpc2.ID, b *ExecuteCommandParams) (any, error) {
	p := new(ExecParams)
	if bad := decodeStrict(b.Arguments[0], p, nullableExec); bad != nil {
		return nil, below(argument, bad.fault())
	}
	if p.Approval != nil {
		return nil, invalidParams(argument+"/approval", "none over workspace/executeCommand", "one")
	}
	for _, t := range []struct {
		name         string
		outer, inner *ProgressToken
	}{
		{"workDoneToken", &b.WorkDoneToken, &p.WorkDoneToken},
		{"partialResultToken", &b.PartialResultToken, &p.PartialResultToken},
	} {
		switch {
		case t.outer.IsZero():
		case !t.inner.IsZero():
			return nil, invalidParams(argument+"/"+t.name, "one token, here or in the params around it", "two")
		default:
			*t.inner = *t.outer
		}
	}
	result, err := s.execute(ctx, id, p, true)
	if err != nil {
		return nil, below(argument, wireError(err, p.ExecID, s.log))
	}
	return result, nil
}

func (s *server) bridgedCancel(_ context.Context, _ jsonrpc2.ID, b *ExecuteCommandParams) (any, error) {
	p := new(CancelParams)
	if bad := decodeStrict(b.Arguments[0], p, never); bad != nil {
		return nil, below(argument, bad.fault())
	}
	result, err := s.execCancel(p)
	return result, below(argument, err)
}

func (s *server) bridgedCheck(ctx context.Context, id jsonrpc2.ID, b *ExecuteCommandParams) (any, error) {
	result, err := s.checkAll(ctx, id, b.Arguments[0])
	return result, below(argument, err)
}
