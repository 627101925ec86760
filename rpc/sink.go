package rpc

import (
	"fmt"

	"github.com/pillion-sidecar/pillion/executor"
	"github.com/pillion-sidecar/pillion/rpc/convert"
	"github.com/pillion-sidecar/pillion/rpc/display"
	"github.com/pillion-sidecar/pillion/rpc/jsonrpc"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

// sink turns one command's events into frames of its lane. Either token may be
// missing.
type sink struct {
	w      *jsonrpc.Writer
	lane   *jsonrpc.Lane
	events *progress // partialResultToken
	work   *progress // workDoneToken

	violations bool // the client wants them
	sandbox    protocol.EffectiveSandbox
}

// begin and Queued go through the control lane: they come before anything of
// the lane, and a command that waits in the queue must not also wait for a
// client that doesn't read.
func (s *sink) begin(title string) {
	if s.work != nil {
		_ = s.w.Send(s.work.event(protocol.WorkDoneProgress{Kind: "begin", Title: title, Cancellable: true}))
	}
}

// Queued reports a place in the queue.
func (s *sink) Queued(position int) error {
	if s.work == nil {
		return nil
	}
	return s.w.Send(s.work.event(protocol.WorkDoneProgress{Kind: "report", Message: fmt.Sprintf("queued %d", position)}))
}

// Started reports the process.
func (s *sink) Started(e executor.Started) error {
	if s.events == nil {
		return nil
	}
	s.sandbox = convert.Sandbox(e.Sandbox)
	return s.lane.Send(s.events.event(protocol.StartedEvent{
		Type: "started", ExecID: e.ID, PID: e.PID, StartedAt: protocol.Stamp(e.StartedAt), Sandbox: s.sandbox,
	}))
}

// Output sends one chunk.
func (s *sink) Output(c executor.Chunk) error {
	if s.events == nil {
		return nil
	}
	return s.lane.Send(s.events.output(c))
}

// Free says that the next event will not have to wait for the client.
func (s *sink) Free() bool { return s.lane.Free() }

// Gap names bytes that won't be sent.
func (s *sink) Gap(g executor.Gap) error {
	if s.events == nil {
		return nil
	}
	e := protocol.GapEvent{
		Type: "gap", Seq: g.Seq, Stream: g.Stream, From: g.From, To: g.To, Reason: protocol.GapReason(g.Reason),
	}
	e.Display = display.Gap(e)
	return s.lane.Send(s.events.event(e))
}

// Violation reports something the sandbox refused.
func (s *sink) Violation(v executor.Violation) error {
	if s.events == nil || !s.violations {
		return nil
	}
	e := protocol.ViolationEvent{Type: eventViolation, Seq: v.Seq, Violation: convert.Violation(v.Violation)}
	e.Display = display.Violations([]protocol.Violation{e.Violation}, s.sandbox, nil)
	return s.lane.Send(s.events.event(e))
}

// Waiting says that the command waits for input.
func (s *sink) Waiting(w executor.Waiting) error {
	p := protocol.WaitingParams{ExecID: w.ID, Kind: w.Kind, Prompt: w.Prompt, Process: w.Process, PID: w.PID}
	p.Display = display.Waiting(p)
	raw, err := jsonrpc.Codec{}.Marshal(p)
	if err != nil {
		return err
	}
	f := jsonrpc.NewFrame()
	f.Buf = jsonrpc.AppendNotification(f.Buf, "exec/waiting", raw)
	return s.lane.Send(f)
}

// end closes the progress and returns when everything has been handed to the
// stream, so that the answer that follows is the command's last message.
func (s *sink) end(message string) {
	if s.work != nil {
		_ = s.lane.Send(s.work.event(protocol.WorkDoneProgress{Kind: "end", Message: message})) // errGone: it has no reader
	}
	s.lane.Join()
}
