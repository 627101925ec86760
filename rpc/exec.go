package rpc

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/jsonrpc2"

	"github.com/pillion-sidecar/pillion/executor"
)

// exec runs one command. Decoding and registration happen on the reader
// goroutine, so that a cancel which arrives behind the request finds it.
func (s *server) exec(ctx context.Context, req *jsonrpc2.Request) (any, error) {
	p := new(ExecParams)
	if bad := decodeStrict(req.Params(), p, nullableExec); bad != nil {
		return nil, bad.fault()
	}
	return s.execute(ctx, req.ID(), p, false)
}

// execute runs the command of a request. bridged is one that came by
// workspace/executeCommand.
func (s *server) execute(ctx context.Context, id jsonrpc2.ID, p *ExecParams, bridged bool) (any, error) {
	r, err := p.request()
	if err != nil {
		return nil, s.record().refused(p.ExecID, p, err)
	}
	if r.Output.Window, err = s.window(p); err != nil {
		return nil, s.record().refused(p.ExecID, p, err)
	}
	r.Bridged = bridged
	c, folders, err := s.admit(id, p, r)
	if err != nil {
		return nil, s.record().refused(p.ExecID, p, err)
	}
	defer s.leave(c)
	jsonrpc2.Async(ctx)
	return s.follow(c, p, r, folders)
}

// follow sees an admitted command to its end.
func (s *server) follow(c *call, p *ExecParams, r executor.Request, folders folderState) (any, error) {
	k := s.sink(p)
	k.begin(title(r))
	// Whatever goes wrong here, the command must not run on unobserved.
	defer c.run.Cancel(executor.InternalError, true)
	defer k.lane.join()
	result, err := c.run.Do(k)
	if err != nil {
		wire := wireError(folders.explain(err, c.run.ID()), c.run.ID(), s.log)
		k.end(wire.Message)
		return nil, s.record().refused(c.run.ID(), p, wire)
	}
	k.end(summary(result))
	return execResult(result), nil
}

// admit takes the command's tokens and its place in the order.
func (s *server) admit(id jsonrpc2.ID, p *ExecParams, r executor.Request) (*call, folderState, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.folders.lawful(r.ID); err != nil {
		return nil, s.folders, err
	}
	c := &call{id: id}
	for _, t := range []ProgressToken{p.WorkDoneToken, p.PartialResultToken} {
		if t.IsZero() {
			continue
		}
		if _, used := s.tokens[t.key()]; used || slices.Contains(c.tokens, t.key()) {
			return nil, s.folders, invalidParams("", "a progress token of its own for each running command", "one in use")
		}
		c.tokens = append(c.tokens, t.key())
	}
	run, err := s.engine.Admit(r, s.folders.set, s.folders.revision)
	if err != nil {
		return nil, s.folders, wireError(err, r.ID, s.log)
	}
	c.run = run
	s.calls[id] = c
	for _, t := range c.tokens {
		s.tokens[t] = c
	}
	return c, s.folders, nil
}

func (s *server) leave(c *call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.calls, c.id)
	for _, t := range c.tokens {
		delete(s.tokens, t)
	}
}

func (s *server) sink(p *ExecParams) *sink {
	s.mu.Lock()
	violations := s.violations
	s.mu.Unlock()
	k := &sink{w: s.w, lane: s.w.lane(), violations: violations}
	if !p.PartialResultToken.IsZero() {
		k.events = newProgress(p.PartialResultToken, p.Output.Encoding == "base64")
	}
	if !p.WorkDoneToken.IsZero() {
		k.work = newProgress(p.WorkDoneToken, false)
	}
	return k
}

// nullableExec: null means something in two places only.
func nullableExec(p jsontext.Pointer) bool {
	return p == "/timeoutMs" || p.Parent() == "/env"
}

func never(jsontext.Pointer) bool { return false }

func title(r executor.Request) string {
	if r.Description != "" {
		return display(r.Description)
	}
	return display(executor.Text{Command: r.Command, Argv: r.Argv, Commands: r.Commands}.String())
}

// summary is the last line of a progress: "exit 0 in 12.3s".
func summary(r *executor.Result) string {
	end := "signal " + r.Signal
	if r.ExitCode != nil {
		end = fmt.Sprintf("exit %d", *r.ExitCode)
	}
	if r.Reason != executor.Exited {
		end = fmt.Sprintf("%s (%s)", r.Reason, end)
	}
	return fmt.Sprintf("%s in %s", end, r.Duration.Round(100*time.Millisecond))
}
