package mcp

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/sourcegraph/conc"
	"go.lsp.dev/jsonrpc2"

	"github.com/pillion-sidecar/pillion/rpc"
)

const (
	// window is how much output waits here at most for a host that reads slowly.
	window = 64 << 10
	// toldBytes is how much of a command's output is told while it runs. A host
	// shows a person what goes on; the model gets the result.
	toldBytes = 256 << 10
	// beat is the longest silence: a host gives up on a tool that says nothing, most
	// after a minute.
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
	events []event       // that were not told yet: window bounds them
	more   chan struct{} // there are some
}

// event is a value of a partialResultToken; which members count is in Type.
type event struct {
	Type   string  `json:"type"`
	Length int64   `json:"length"`
	Text   *string `json:"text"`
	From   int64   `json:"from"`
	To     int64   `json:"to"`
}

// run sends exec and waits for its answer. A cancel of ctx ends the command, and its
// answer, which says what became of it, is still waited for.
func (s *session) run(ctx context.Context, p rpc.ExecParams, req *mcp.CallToolRequest) (rpc.ExecResult, error) {
	var result rpc.ExecResult
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
		p.PartialResultToken, p.Output.Window, p.Output.StreamMaxBytes = rpc.Token(p.ExecID), window, toldBytes
		beside.Go(func() { r.tell(conn, done) })
	}
	_, err = conn.Call(s.ctx, "exec", p, &result)
	close(done)
	beside.Wait() // nothing may be told behind the result
	return result, err
}

// cancelWith cancels the command when ctx ends. The cancel may overtake the command.
func (s *session) cancelWith(ctx context.Context, conn jsonrpc2.Conn, id string, done <-chan struct{}) {
	select {
	case <-done:
		return
	case <-ctx.Done():
	}
	for {
		var r rpc.CancelResult
		_, err := conn.Call(s.ctx, "exec/cancel", rpc.CancelParams{ExecID: id, Reason: "cancelled by the host"}, &r)
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
func (s *session) progress(params []byte) {
	var p struct {
		Token string         `json:"token"`
		Value jsontext.Value `json:"value"`
	}
	var e event
	if json.Unmarshal(params, &p) != nil || json.Unmarshal(p.Value, &e) != nil {
		return
	}
	s.mu.Lock()
	r := s.runs[p.Token]
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
func (r *run) take() []event {
	r.mu.Lock()
	defer r.mu.Unlock()
	events := r.events
	r.events = nil
	return events
}

// tell passes events on to the host, however long that takes, and acknowledges what
// it has passed on. It ends behind the answer, when nothing more can come.
func (r *run) tell(conn jsonrpc2.Conn, done <-chan struct{}) {
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
				_ = conn.Notify(context.Background(), "exec/ack", rpc.AckParams{ExecID: r.id, Consumed: consumed})
			}
		}
	}
}

func (r *run) say(e event) {
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

// notify counts milliseconds: progress has to grow, and how much there will be to do
// nobody knows.
func (r *run) notify(message string) error {
	r.last = max(r.last+1, float64(time.Since(r.start).Milliseconds()))
	return r.host.NotifyProgress(context.Background(), &mcp.ProgressNotificationParams{
		ProgressToken: r.token, Progress: r.last, Message: message,
	})
}
