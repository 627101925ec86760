package mcp

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/sourcegraph/conc"

	"github.com/pillion-sidecar/pillion/rpc/client"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

const (
	// window is how much output waits here at most for a host that reads slowly.
	window = 64 << 10
	// toldBytes is how much of a command's output is sent while it runs. A host shows a
	// person what goes on; the model gets the result.
	toldBytes = 256 << 10
	// beat is the longest silence: a host gives up on a silent tool, most after a minute.
	beat = 10 * time.Second
)

// run is one command whose output the host wants to see while it runs.
type run struct {
	id    string
	host  *mcp.ServerSession
	token any
	start time.Time
	last  float64

	mu     sync.Mutex
	events []client.Event // that were not sent yet: window bounds them
	more   chan struct{}  // there are some
}

// run sends exec and waits for its answer. A cancel of ctx ends the command, and its
// answer, which says how it ended, is still waited for.
func (s *session) run(ctx context.Context, p protocol.ExecParams, req *mcp.CallToolRequest) (protocol.ExecResult, error) {
	var result protocol.ExecResult
	conn, err := s.server(ctx, req.Session)
	if err != nil {
		return result, err
	}
	var beside conc.WaitGroup
	done := make(chan struct{})
	beside.Go(func() { s.cancelWith(ctx, conn, p.ExecID, done) })
	if token := req.Params.GetProgressToken(); token != nil {
		r := &run{id: p.ExecID, host: req.Session, token: token, start: time.Now(), more: make(chan struct{}, 1)}
		s.follow(r)
		defer s.unfollow(r)
		p.PartialResultToken, p.Output.Window, p.Output.StreamMaxBytes = protocol.Token(p.ExecID), window, toldBytes
		beside.Go(func() { r.tell(conn, done) })
	}
	result, err = conn.Exec(s.ctx, p)
	close(done)
	beside.Wait() // nothing may be sent after the result
	return result, err
}

// cancelWith cancels the command when ctx ends. The cancel may overtake the command.
func (s *session) cancelWith(ctx context.Context, conn *client.Client, id string, done <-chan struct{}) {
	select {
	case <-done:
		return
	case <-ctx.Done():
	}
	for {
		var r protocol.CancelResult
		err := conn.Call(s.ctx, "exec/cancel", protocol.CancelParams{ExecID: id, Reason: "cancelled by the host"}, &r)
		if err != nil || r.State != "unknown" {
			return
		}
		select {
		case <-done:
			return
		case <-time.After(5 * time.Millisecond):
		}
	}
}

func (s *session) follow(r *run) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.runs[r.id] = r
}

func (s *session) unfollow(r *run) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.runs, r.id)
}

// progress hands an event to its command.
func (s *session) progress(e client.Event) {
	s.mu.Lock()
	r := s.runs[e.Token]
	s.mu.Unlock()
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, e)
	select {
	case r.more <- struct{}{}:
	default:
	}
}

// take returns what has come since the last time.
func (r *run) take() []client.Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	events := r.events
	r.events = nil
	return events
}

// tell passes events on to the host, however long that takes, and acknowledges what it has
// passed on. It ends after the answer, when nothing more can come.
func (r *run) tell(conn *client.Client, done <-chan struct{}) {
	silence := time.NewTicker(beat)
	defer silence.Stop()
	var consumed int64
	for over := false; !over; {
		select {
		case <-r.more:
			silence.Reset(beat)
		case <-silence.C:
			_ = r.notify(fmt.Sprintf("running for %s", time.Since(r.start).Round(time.Second)))
		case <-done:
			over = true
		}
		for _, e := range r.take() {
			r.say(e)
			if consumed += e.Length; e.Length > 0 && !over {
				_ = conn.Notify("exec/ack", protocol.AckParams{ExecID: r.id, Consumed: consumed})
			}
		}
	}
}

func (r *run) say(e client.Event) {
	switch {
	case e.Type == "started":
		_ = r.notify("started")
	case e.Type == "output" && e.Text != nil:
		_ = r.notify(plain(*e.Text))
	case e.Type == "output":
		_ = r.notify(fmt.Sprintf("(%d bytes that are not text)", e.Length))
	case e.Type == "gap":
		_ = r.notify(fmt.Sprintf("(%d bytes are not shown here; the result tells how to read them)", e.To-e.From))
	}
}

// notify counts milliseconds: progress has to grow, and nobody knows how much there will
// be to do.
func (r *run) notify(message string) error {
	r.last = max(r.last+1, float64(time.Since(r.start).Milliseconds()))
	return r.host.NotifyProgress(context.Background(), &mcp.ProgressNotificationParams{
		ProgressToken: r.token, Progress: r.last, Message: message,
	})
}
