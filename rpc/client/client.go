package client

import (
	"context"
	"errors"
	"io"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/sourcegraph/conc"

	"github.com/pillion-sidecar/pillion/config"
	"github.com/pillion-sidecar/pillion/rpc/jsonrpc"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

// Options are what a client brings; each may be nil.
type Options struct {
	// Event gets what running commands do, in order. Nothing more is read while it runs.
	Event func(Event)

	// Waiting gets commands that wait for input, where initialize asked for the event.
	Waiting func(protocol.WaitingParams)

	// Port gets ports on which commands listen, likewise.
	Port func(protocol.PortParams)

	// Approve answers a question about a command. ctx ends when the answer is no longer
	// wanted. A client without it should not announce that it can be asked.
	Approve func(context.Context, protocol.ApprovalParams) protocol.ApprovalResult

	// Stray gets every other message: notifications, and answers to nothing that was
	// asked. It holds until Stray returns.
	Stray func(message []byte)
}

// ErrEnded says that the sidecar has ended without an answer.
var ErrEnded = errors.New("the sidecar has ended without an answer")

// Client is one session. Its methods may be called from any goroutine.
type Client struct {
	wire  *jsonrpc.Wire
	o     Options
	out   io.Closer // of requests
	in    io.Closer // of answers
	wait  func() error
	scope conc.WaitGroup
	ended chan struct{} // closed: nothing more is read

	mu      sync.Mutex
	last    int64
	waiting map[int64]chan<- message
	asked   map[string]context.CancelFunc // questions of the server, by their ids
}

// New makes a client of two streams that something else serves.
func New(in io.ReadCloser, out io.WriteCloser, o Options) *Client {
	c := &Client{
		wire: jsonrpc.NewWire(in, out), o: o, in: in, out: out, wait: func() error { return nil },
		ended: make(chan struct{}), waiting: map[int64]chan<- message{}, asked: map[string]context.CancelFunc{},
	}
	c.scope.Go(c.read)
	return c
}

// Folders are paths as initialize takes them.
func Folders(paths ...string) (list []protocol.WorkspaceFolder) {
	for _, p := range paths {
		list = append(list, protocol.WorkspaceFolder{URI: p, Name: p})
	}
	return list
}

// Initialize opens the session; o becomes the params' initializationOptions.
func (c *Client) Initialize(ctx context.Context, p protocol.InitializeParams, o config.InitOptions) (protocol.InitializeResult, error) {
	var result protocol.InitializeResult
	var err error
	p.InitializationOptions, err = jsonrpc.Codec{}.Marshal(
		protocol.InitializationOptions{ProtocolVersion: protocol.ProtocolVersion, InitOptions: o},
	)
	if err == nil {
		err = c.Call(ctx, "initialize", p, &result)
	}
	if err == nil {
		err = c.Notify("initialized", struct{}{})
	}
	return result, err
}

// Exec runs one command and returns how it ended.
func (c *Client) Exec(ctx context.Context, p protocol.ExecParams) (result protocol.ExecResult, err error) {
	return result, c.Call(ctx, "exec", p, &result)
}

// Check judges commands without running one.
func (c *Client) Check(ctx context.Context, p ...protocol.ExecParams) ([]protocol.CheckVerdict, error) {
	var result protocol.CheckResult
	err := c.Call(ctx, "guard/check", protocol.CheckParams{Checks: p}, &result)
	if err == nil && len(result.Verdicts) != len(p) {
		err = errors.New("the guard gave no verdict")
	}
	return result.Verdicts, err
}

// Call sends a request and waits for its answer, or for the end of ctx: the request
// goes on then. result may be nil, or a *jsontext.Value for the text itself.
func (c *Client) Call(ctx context.Context, method string, params, result any) error {
	_, wait := c.Begin(method, params)
	return wait(ctx, result)
}

// Begin sends a request. It returns the id, which $/cancelRequest takes, and what waits
// for the answer as Call does; that is to be called once.
func (c *Client) Begin(method string, params any) (id int64, wait func(ctx context.Context, result any) error) {
	id, answer := c.begin()
	if err := c.send(call{JSONRPC: "2.0", ID: &id, Method: method, Params: params}); err != nil {
		c.forget(id)
		return id, func(context.Context, any) error { return ErrEnded }
	}
	return id, func(ctx context.Context, result any) error {
		defer c.forget(id)
		select {
		case m := <-answer:
			return m.decode(result)
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-c.ended:
		}
		select {
		case m := <-answer: // it was the last message
			return m.decode(result)
		default:
			return ErrEnded
		}
	}
}

// Notify sends a notification.
func (c *Client) Notify(method string, params any) error {
	return c.send(call{JSONRPC: "2.0", Method: method, Params: params})
}

// Send writes a message as it is.
func (c *Client) Send(body []byte) error { return c.wire.Send(body) }

// Close ends the session politely and waits for the other end, and so for every process
// that it started. Once ctx has ended it hangs up instead: who takes the answers may be
// stuck.
func (c *Client) Close(ctx context.Context) error {
	if ctx.Err() == nil {
		_ = c.Call(ctx, "shutdown", nil, nil)
		_ = c.Notify("exit", nil)
	}
	c.HangUp()
	if ctx.Err() != nil {
		_ = c.in.Close()
		return c.wait() // and not for what reads: it may be stuck, too
	}
	return c.Wait()
}

// Done is closed when nothing more can come.
func (c *Client) Done() <-chan struct{} { return c.ended }

// HangUp closes the requests, as the pipe of an editor that is gone: every command ends.
func (c *Client) HangUp() { _ = c.out.Close() }

// Wait returns when the other end has ended, and how.
func (c *Client) Wait() error {
	<-c.ended
	err := c.wait()
	c.scope.Wait()
	return err
}

// call is a request, or without an id a notification.
type call struct {
	JSONRPC string `json:"jsonrpc"`
	ID      *int64 `json:"id,omitzero"`
	Method  string `json:"method"`
	Params  any    `json:"params,omitzero"`
}

func (c *Client) send(m any) error {
	body, err := jsonrpc.Codec{}.Marshal(m)
	if err != nil {
		return err
	}
	return c.wire.Send(body)
}

func (c *Client) begin() (int64, <-chan message) {
	answer := make(chan message, 1)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last++
	c.waiting[c.last] = answer
	return c.last, answer
}

func (c *Client) forget(id int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.waiting, id)
}

// decode is an answer's error, or its result.
func (m message) decode(result any) error {
	switch {
	case m.Error != nil:
		return &jsonrpc.Error{Code: m.Error.Code, Message: m.Error.Message, Data: jsonrpc.RawMessage(m.Error.Data)}
	case result == nil:
		return nil
	}
	return json.Unmarshal(m.Result, result)
}

// message is anything that comes.
type message struct {
	ID     jsontext.Value `json:"id"`
	Method string         `json:"method"`
	Params jsontext.Value `json:"params"`
	Result jsontext.Value `json:"result"`
	Error  *struct {
		Code    jsonrpc.Code   `json:"code"`
		Message string         `json:"message"`
		Data    jsontext.Value `json:"data"`
	} `json:"error"`
}
