package rpc

import (
	"context"
	"slices"

	"github.com/pillion-sidecar/pillion/config"
	"github.com/pillion-sidecar/pillion/executor"
	"github.com/pillion-sidecar/pillion/rpc/convert"
	"github.com/pillion-sidecar/pillion/rpc/display"
	"github.com/pillion-sidecar/pillion/rpc/jsonrpc"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
	"github.com/pillion-sidecar/pillion/sandbox"
)

// exec runs one command. Decoding and registration happen on the reader goroutine, so that
// a cancel which arrives after the request finds it.
func (s *server) exec(ctx context.Context, req *jsonrpc.Request) (any, error) {
	p := new(protocol.ExecParams)
	if bad := protocol.DecodeStrict(req.Params(), p, protocol.ExecNull); bad != nil {
		return nil, bad
	}
	return s.execute(ctx, req.ID(), p, asked{})
}

// asked is how a command came.
type asked struct {
	bridged bool              // by workspace/executeCommand
	retryOf string            // by exec/retry
	given   []executor.Access // by a person, with it
	limits  sandbox.Limits    // likewise
}

// execute runs the command of a request.
func (s *server) execute(ctx context.Context, id jsonrpc.ID, p *protocol.ExecParams, how asked) (any, error) {
	r, err := convert.Exec(p)
	if err != nil {
		return nil, s.refused(p.ExecID, p, err)
	}
	if r.Output.Window, err = s.window(p); err != nil {
		return nil, s.refused(p.ExecID, p, err)
	}
	r.Bridged, r.Sandbox.Given, r.Sandbox.Limits, r.TellWaiting = how.bridged, how.given, how.limits, s.tellsWaiting()
	// A server or an editor on a person's terminal ends when they say so, unless they, or the
	// workspace, have set another limit than the one that comes with pillion.
	r.Watched = p.Pty != nil && s.client.Exec.Approval && !how.bridged &&
		s.configuration().Limits.DefaultTimeout == config.DefaultLimits().DefaultTimeout
	c, folders, err := s.admit(id, p, r)
	if err != nil {
		return nil, s.refused(p.ExecID, p, err)
	}
	defer s.leave(c)
	jsonrpc.Async(ctx)
	result, err := s.follow(c, p, r, folders)
	if err != nil {
		return nil, err
	}
	result.RetryOf = how.retryOf
	s.retries.keep(*p, result)
	return result, nil
}

// follow sees an admitted command to its end.
func (s *server) follow(c *call, p *protocol.ExecParams, r executor.Request, folders folderState) (*protocol.ExecResult, error) {
	k := s.sink(p)
	k.begin(title(r))
	// Whatever goes wrong here, the command must not run on unobserved.
	defer c.run.Cancel(executor.InternalError, true)
	defer k.lane.Join()
	result, err := c.run.Do(k)
	if err != nil {
		err = s.refused(c.run.ID(), p, folders.explain(err, c.run.ID()))
		k.end(err.Error())
		return nil, err
	}
	k.end(summary(result))
	convert.More(result.Violations, r.Sandbox.Limits, s.configuration(), folders.files)
	out := convert.Result(result)
	return &out, nil
}

// refused is the answer to a command that was not started, which the audit log has, too.
// Params that are wrong stay as they are: a place may have to go in front.
func (s *server) refused(id string, p *protocol.ExecParams, err error) error {
	if bad := convert.Params(err); bad != nil {
		s.record().Refused(id, p, string(protocol.KindInvalidParams), bad.Error())
		return bad
	}
	wire := convert.Error(err, display.AskedBy(p), id, s.log)
	data := new(protocol.ErrorData)
	_ = protocol.Decode(wire.Data, data)
	s.record().Refused(id, p, string(data.Kind), wire.Message)
	return wire
}

// admit takes the command's tokens and its place in the order.
func (s *server) admit(id jsonrpc.ID, p *protocol.ExecParams, r executor.Request) (*call, folderState, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.folders.lawful(r.ID); err != nil {
		return nil, s.folders, err
	}
	c := &call{id: id}
	for _, t := range []struct {
		at    string
		token protocol.ProgressToken
	}{{"/workDoneToken", p.WorkDoneToken}, {"/partialResultToken", p.PartialResultToken}} {
		if t.token.IsZero() {
			continue
		}
		if _, used := s.tokens[t.token.Key()]; used || slices.Contains(c.tokens, t.token.Key()) {
			return nil, s.folders, protocol.Invalid(t.at, "a progress token of its own for each running command", "one in use")
		}
		c.tokens = append(c.tokens, t.token.Key())
	}
	run, err := s.engine.Admit(r, s.folders.set, s.folders.revision)
	if err != nil {
		return nil, s.folders, err
	}
	c.run = run
	s.calls[id] = c
	for _, t := range c.tokens {
		s.tokens[t] = c
	}
	return c, s.folders, nil
}

func (s *server) tellsWaiting() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.waiting
}

func (s *server) leave(c *call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.calls, c.id)
	for _, t := range c.tokens {
		delete(s.tokens, t)
	}
}

func (s *server) sink(p *protocol.ExecParams) *sink {
	s.mu.Lock()
	violations := s.violations
	s.mu.Unlock()
	k := &sink{w: s.w, lane: s.w.Lane(), violations: violations}
	if !p.PartialResultToken.IsZero() {
		k.events = newProgress(p.PartialResultToken, p.Output.Encoding == "base64")
	}
	if !p.WorkDoneToken.IsZero() {
		k.work = newProgress(p.WorkDoneToken, false)
	}
	return k
}

func title(r executor.Request) string {
	if r.Description != "" {
		return display.Line(r.Description)
	}
	return display.Line(executor.Text{Command: r.Command, Argv: r.Argv, Commands: r.Commands}.String())
}

// summary is the last line of a progress: "exit 0 · 12.3 s".
func summary(r *executor.Result) string {
	end := protocol.ExecResult{ExitCode: r.ExitCode, Reason: r.Reason}
	if r.Signal != "" {
		end.Signal = &r.Signal
	}
	return display.Ended(end) + " · " + display.Millis(r.Duration.Milliseconds())
}
