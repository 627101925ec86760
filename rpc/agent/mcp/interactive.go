package mcp

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/sourcegraph/conc"

	"github.com/pillion-sidecar/pillion/executor"
	"github.com/pillion-sidecar/pillion/rpc/client"
	"github.com/pillion-sidecar/pillion/rpc/display"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

// AnswerArguments are those of the tool answer.
type AnswerArguments struct {
	ExecID string `json:"execId" jsonschema:"of an interactive command that waits, or of a server"`
	Text   string `json:"text,omitzero" jsonschema:"what to type; Enter is added to a line"`
	Close  bool   `json:"close,omitzero" jsonschema:"end its input, behind the text"`
	Stop   bool   `json:"stop,omitzero" jsonschema:"end the command instead"`
}

// Waiting is what an interactive command waits for.
type Waiting struct {
	Kind    string `json:"kind" jsonschema:"line, hidden (what is typed is not shown) or key (each key is read at once)"`
	Prompt  string `json:"prompt,omitempty"`
	Process string `json:"process" jsonschema:"the program that waits"`
}

// inputWait is how long a command waits for a model, or for the person that it asks, unless
// the user's policy says. The time of the whole command includes all of that.
const (
	inputWait       = 5 * time.Minute
	interactiveTime = 30 * time.Minute
)

// open is a command that may wait for input. It outlives the call that began it.
type open struct {
	conn   *client.Client
	params protocol.ExecParams
	chars  int
	asks   chan protocol.WaitingParams // the newest
	ready  chan protocol.PortParams    // of a server: the first port that it listens on; nil of others

	forward bool       // the model wants the person asked about that port
	turn    sync.Mutex // of a call, which has what follows
	last    protocol.WaitingParams
	read    int64         // bytes of its output that were sent
	done    chan struct{} // closed when the rest is set
	result  protocol.ExecResult
	err     error
}

// interactive begins the ids of these, whose output is a terminal's.
const interactive = "interactive-"

func streamOf(id string) executor.Stream {
	if strings.HasPrefix(id, interactive) {
		return executor.Pty
	}
	return executor.Stdout
}

// waiting learns that a command waits.
func (s *session) waiting(p protocol.WaitingParams) {
	s.mu.Lock()
	o := s.open[p.ExecID]
	s.mu.Unlock()
	if o == nil {
		return
	}
	select {
	case <-o.asks: // not reported to the model
	default:
	}
	o.asks <- p
}

// begins runs an interactive command until it waits for the first time.
func (s *session) begins(ctx context.Context, a ExecArguments, req *mcp.CallToolRequest) *mcp.CallToolResult {
	o := &open{
		params: a.params(), chars: a.chars(),
		asks: make(chan protocol.WaitingParams, 1), done: make(chan struct{}),
	}
	most := interactiveTime
	var err error
	switch {
	case a.Server && a.Interactive:
		err = protocol.Invalid("/interactive", "false with server", "true")
	case a.Forward && !a.Server:
		err = protocol.Invalid("/forward", "false without server", "true")
	case a.Server:
		o.forward = a.Forward
		most, o.ready, o.params.ExecID = serverTime, make(chan protocol.PortParams, 1), s.name("server-")
	default:
		o.params.ExecID, o.params.Output.Merge = s.name(interactive), false
		o.params.Pty = &protocol.PtyParams{Rows: 24, Cols: 120, Term: "dumb"}
	}
	if a.TimeoutMs == 0 {
		o.params.TimeoutMs = protocol.Nullable[int64]{Set: true, Value: most.Milliseconds()}
	}
	if err == nil {
		o.conn, err = s.server(ctx, req.Session)
	}
	if err != nil {
		return notRun(err, o.params)
	}
	o.turn.Lock()
	s.mu.Lock()
	if len(s.open) >= maxOpen {
		maps.DeleteFunc(s.open, func(_ string, o *open) bool { return o.over() })
	}
	s.open[o.params.ExecID] = o
	s.mu.Unlock()
	s.scope.Go(func() {
		o.result, o.err = o.conn.Exec(s.ctx, o.params)
		close(o.done)
	})
	return s.until(ctx, o, req)
}

// maxOpen bounds the results that were not asked for.
const maxOpen = 16

func (o *open) over() bool {
	select {
	case <-o.done:
		return true
	default:
		return false
	}
}

// until waits for the end of a command, or for its next question.
func (s *session) until(ctx context.Context, o *open, req *mcp.CallToolRequest) *mcp.CallToolResult {
	defer o.turn.Unlock()
	id, over := o.params.ExecID, make(chan struct{})
	var beside conc.WaitGroup
	beside.Go(func() { s.cancelWith(ctx, o.conn, id, over) })
	if token := req.Params.GetProgressToken(); token != nil {
		r := &run{id: id, host: req.Session, token: token, start: time.Now(), more: make(chan struct{}, 1)}
		beside.Go(func() { r.tell(o.conn, over) })
	}
	var at protocol.PortParams
	url := ""
	select {
	case <-o.done:
	case o.last = <-o.asks:
	case at = <-o.ready:
		url = s.letOut(ctx, o, at)
	case <-o.patience():
	}
	close(over)
	beside.Wait()
	switch {
	case o.over():
	case o.ready != nil:
		return o.serving(s.ctx, at, url)
	default:
		return o.asking(s.ctx)
	}
	s.mu.Lock()
	delete(s.open, id)
	s.mu.Unlock()
	s.changed(o.result)
	if o.err != nil {
		return notRun(o.err, o.params)
	}
	return finished(o.result, o.chars)
}

// asking is the result of a command that waits, with what it has printed since the last.
func (o *open) asking(ctx context.Context) *mcp.CallToolResult {
	rep := ExecReport{Waiting: &Waiting{string(o.last.Kind), o.last.Prompt, o.last.Process}}
	return o.running(ctx, rep, fmt.Sprintf(`%s; answer it with answer {"execId":"%s","text":"…"}, `+
		`close its input with "close":true, or end it with "stop":true`, display.Plain(o.last.Display), o.params.ExecID))
}

// running is the result of a command that goes on, with what it has printed since the last.
func (o *open) running(ctx context.Context, rep ExecReport, text string) *mcp.CallToolResult {
	var r protocol.ReadResult
	id := o.params.ExecID
	p := protocol.ReadParams{ExecID: id, Stream: streamOf(id), Offset: o.read, MaxBytes: o.chars}
	if err := o.conn.Call(ctx, "exec/read", p, &r); err != nil {
		return notRun(err, o.params)
	}
	o.read = r.NextOffset
	rep.Started, rep.ExecID, rep.Output, rep.TotalBytes = true, id, plain(string(r.Bytes())), r.TotalBytes
	if text = "pillion: " + text; r.NextOffset < r.TotalBytes {
		text += fmt.Sprintf("\npillion: more of its output can be read with "+
			`read_output {"execId":"%s","offset":%d}`, id, r.NextOffset)
	}
	return &mcp.CallToolResult{
		StructuredContent: rep,
		Content:           []mcp.Content{&mcp.TextContent{Text: rep.Output}, &mcp.TextContent{Text: text}},
	}
}

// answer serves the tool answer.
func (s *session) answer(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var a AnswerArguments
	err := protocol.DecodeTool(req.Params.Arguments, &a)
	s.mu.Lock()
	o := s.open[a.ExecID]
	s.mu.Unlock()
	if err == nil && (o == nil || !o.turn.TryLock()) {
		err = Refusal{
			Code: int(protocol.CodeUnknownExec), Kind: "unknownExec",
			Message: plain(fmt.Sprintf("no interactive command or server %.80q of this session waits for you", a.ExecID)),
		}
	}
	if err == nil {
		err = o.refuses(a)
		if err == nil {
			err = o.give(s.ctx, a)
		}
		if err != nil {
			o.turn.Unlock()
		}
	}
	if err != nil {
		return notRun(err, protocol.ExecParams{}), nil
	}
	return s.until(ctx, o, req), nil
}

func (o *open) give(ctx context.Context, a AnswerArguments) error {
	select {
	case <-o.asks: // what was asked besides is answered, too
	default:
	}
	if a.Stop {
		return o.conn.Call(ctx, "exec/cancel", protocol.CancelParams{ExecID: a.ExecID, Reason: "stopped by the model"}, new(protocol.CancelResult))
	}
	if o.last.Kind != executor.InputKey && !strings.HasSuffix(a.Text, "\n") && (a.Text != "" || !a.Close) {
		a.Text += "\n"
	}
	return o.conn.Call(ctx, "exec/write", protocol.WriteParams{ExecID: a.ExecID, Text: &a.Text, Close: a.Close}, new(protocol.WriteResult))
}
