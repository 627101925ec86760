package rpc

import (
	"context"
	"runtime"

	"github.com/pillion-sidecar/pillion/executor"
	"github.com/pillion-sidecar/pillion/rpc/convert"
	"github.com/pillion-sidecar/pillion/rpc/display"
	"github.com/pillion-sidecar/pillion/rpc/jsonrpc"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

// maxWaiting bounds the guard/check requests in flight.
const maxWaiting = 64

// maxJudges is how many commands guard/check judges at once. Half of the
// processors stay for the commands that run and for the stream to the editor.
var maxJudges = max(1, runtime.GOMAXPROCS(0)/2)

// guardCheck decodes on the reader goroutine, so that a cancel which arrives after the
// request finds it, and judges beside it.
func (s *server) guardCheck(ctx context.Context, req *jsonrpc.Request) (any, error) {
	return s.checkAll(ctx, req.ID(), req.Params())
}

// checkAll judges the commands in params of guard/check.
func (s *server) checkAll(ctx context.Context, id jsonrpc.ID, params []byte) (any, error) {
	requests, err := checkRequests(params)
	if err != nil {
		return nil, err
	}
	// Not derived from ctx: the library hands that to another request as soon as
	// this one is answered, while package context may still look at it.
	until, stop := context.WithCancel(context.Background())
	defer stop()
	engine, folders, err := s.enter(id, stop)
	if err != nil {
		return nil, err
	}
	defer s.done(s.checks, id)
	jsonrpc.Async(ctx)
	out := protocol.CheckResult{Verdicts: make([]protocol.CheckVerdict, 0, len(requests))}
	for i, r := range requests {
		j, err := s.judge(until, engine, r, folders)
		if err != nil {
			return nil, atCheck(i, err)
		}
		out.Verdicts = append(out.Verdicts, s.checkVerdict(j, folders))
	}
	return out, nil
}

// judge waits for its turn before every single command, so that one request with
// a thousand checks doesn't hold up those with one.
func (s *server) judge(ctx context.Context, e *executor.Engine, r executor.Request, folders folderState) (executor.Judgement, error) {
	cancelled := &executor.CancelledError{Phase: "guard", Why: executor.Cancelled}
	select {
	case s.judges <- struct{}{}:
		defer func() { <-s.judges }()
	case <-ctx.Done():
		return executor.Judgement{}, cancelled
	}
	if ctx.Err() != nil {
		return executor.Judgement{}, cancelled
	}
	return e.Judge(r, folders.set)
}

// enter takes what all checks of one request are judged by: one engine and one
// workspace, whatever changes meanwhile.
func (s *server) enter(id jsonrpc.ID, stop context.CancelFunc) (*executor.Engine, folderState, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.checks.enter(id, stop); err != nil {
		return nil, folderState{}, err
	}
	if err := s.folders.lawful(""); err != nil {
		delete(s.checks.stops, id)
		return nil, folderState{}, err
	}
	return s.engine, s.folders, nil
}

func (s *server) checkVerdict(j executor.Judgement, folders folderState) protocol.CheckVerdict {
	v := protocol.CheckVerdict{GuardVerdict: convert.Verdict(j.Verdict)}
	switch {
	case j.Err != nil:
		v.WouldFail = wouldFail(convert.Error(folders.explain(j.Err, ""), display.Asked{}, "", s.log))
	case v.Decision != "deny":
		v.WouldAsk = v.Decision == "ask"
		sandbox := convert.Sandbox(*j.Sandbox)
		v.EffectiveSandbox = &sandbox
	}
	return v
}

func wouldFail(e *jsonrpc.Error) *protocol.WouldFail {
	data := new(protocol.ErrorData)
	_ = protocol.Decode(e.Data, data) // every error of ours has a kind
	return &protocol.WouldFail{Code: int(e.Code), Kind: data.Kind, Message: e.Message}
}
