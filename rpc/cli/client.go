package cli

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/sourcegraph/conc"
	"go.lsp.dev/jsonrpc2"

	"github.com/pillion-sidecar/pillion/config"
	"github.com/pillion-sidecar/pillion/rpc"
	"github.com/pillion-sidecar/pillion/sandbox"
)

// client is a connection to a server in this process.
type client struct {
	conn   jsonrpc2.Conn
	wire   duplex
	boxes  *sandbox.Manager
	server conc.WaitGroup
}

// event is any value of a partialResultToken; which members count is in Type.
type event struct {
	Type   string  `json:"type"`
	Stream string  `json:"stream"`
	Text   *string `json:"text"`
	Data   []byte  `json:"data"`
	From   int64   `json:"from"`
	To     int64   `json:"to"`
	Reason string  `json:"reason"`

	raw jsontext.Value // all of it
}

// dial starts a server and connects to it. events gets what it sends about
// running commands, in order; while it blocks nothing more is read. mode is the only
// one that will be asked for, "" where that is not known.
func dial(ctx context.Context, conf config.Config, version string, mode sandbox.Mode, events func(event)) (*client, error) {
	boxes, err := sandbox.Open(sandbox.Options{StateDir: conf.StateDir, Mode: mode})
	if err != nil {
		return nil, err
	}
	in, requests := io.Pipe()
	answers, out := io.Pipe()
	c := &client{boxes: boxes, wire: duplex{answers, requests}}
	c.server.Go(func() {
		rpc.Serve(ctx, rpc.Options{
			In: in, Out: out, Config: conf, Sandbox: boxes, Own: own(), Version: version,
			Log: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError})),
		})
		// However it ended: nobody may wait for an answer any more.
		_, _ = in.Close(), out.Close()
	})
	// The library's own framing will do here: both ends are ours.
	c.conn = jsonrpc2.NewConn(jsonrpc2.NewHeaderStream(c.wire))
	c.conn.Go(ctx, func(_ context.Context, req *jsonrpc2.Request) (any, error) { return notified(req, events) })
	return c, nil
}

// own is the program itself, which no workspace may hold: a command that could
// replace it would be started by the editor, outside the sandbox, next time.
func own() []string {
	exe, err := os.Executable()
	if err != nil {
		return nil
	}
	return []string{exe}
}

func notified(req *jsonrpc2.Request, events func(event)) (any, error) {
	if req.IsCall() {
		return nil, jsonrpc2.ErrMethodNotFound
	}
	var p struct {
		Value jsontext.Value `json:"value"`
	}
	if req.Method() != "$/progress" || json.Unmarshal(req.Params(), &p) != nil {
		return nil, nil
	}
	var e event
	if err := json.Unmarshal(p.Value, &e); err == nil {
		e.raw = p.Value
		events(e)
	}
	return nil, nil
}

// initialize opens the session on folder; "" opens none.
func (c *client) initialize(ctx context.Context, folder, version string, o config.InitOptions) (rpc.InitializeResult, error) {
	var result rpc.InitializeResult
	options, err := json.Marshal(rpc.InitializationOptions{ProtocolVersion: rpc.ProtocolVersion, InitOptions: o})
	if err != nil {
		return result, err
	}
	p := rpc.InitializeParams{ClientInfo: &rpc.ClientInfo{Name: "pillion", Version: version}, InitializationOptions: options}
	if folder != "" {
		p.WorkspaceFolders = []rpc.WorkspaceFolder{{URI: folder, Name: folder}}
	}
	if _, err := c.conn.Call(ctx, "initialize", p, &result); err != nil {
		return result, err
	}
	return result, c.conn.Notify(ctx, "initialized", struct{}{})
}

// close ends the session and waits for the server, and so for every process it
// started.
func (c *client) close(ctx context.Context) {
	if ctx.Err() != nil { // given up: whoever takes the answers may be stuck, so be gone
		_ = c.wire.Close()
		c.server.Wait()
		c.boxes.Close()
		return
	}
	_, _ = c.conn.Call(ctx, "shutdown", nil, nil)
	_ = c.conn.Notify(ctx, "exit", nil)
	c.server.Wait()
	_ = c.conn.Close()
	c.boxes.Close()
}

// duplex is the client's end of the two pipes.
type duplex struct {
	*io.PipeReader
	w *io.PipeWriter
}

func (d duplex) Write(p []byte) (int, error) { return d.w.Write(p) }
func (d duplex) Close() error                { return errors.Join(d.PipeReader.Close(), d.w.Close()) }
