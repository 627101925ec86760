package rpc

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/sourcegraph/conc"

	"github.com/pillion-sidecar/pillion/config"
	"github.com/pillion-sidecar/pillion/guard"
	"github.com/pillion-sidecar/pillion/rpc/jsonrpc"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
	"github.com/pillion-sidecar/pillion/sandbox"
	"github.com/pillion-sidecar/pillion/test/box"
)

const patience = time.Minute

// atOnce bounds what waits for nothing, on a machine that may stall for seconds. What it
// must not wait for is longer.
const atOnce = 30 * time.Second

// message is anything the server sends.
type message struct {
	JSONRPC string         `json:"jsonrpc"`
	ID      jsontext.Value `json:"id,omitzero"`
	Method  string         `json:"method,omitzero"`
	Params  jsontext.Value `json:"params,omitzero"`
	Result  jsontext.Value `json:"result,omitzero"`
	Error   *wireFault     `json:"error,omitzero"`
}

type wireFault struct {
	Code    int            `json:"code"`
	Message string         `json:"message"`
	Data    jsontext.Value `json:"data"`
}

// client is an editor at the other end of two OS pipes, so that back-pressure is
// that of a real one.
type client struct {
	t     *testing.T
	ws    string
	in    *os.File // the server's stdin
	out   *os.File // the server's stdout
	log   *lockedBuffer
	code  chan int
	stop  context.CancelFunc
	gate  sync.Mutex   // held: the client doesn't read
	slow  atomic.Int64 // time between two reads
	scope conc.WaitGroup

	mu   sync.Mutex
	got  []message
	more chan struct{}
	eof  bool
}

type lockedBuffer struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func testConfig(t testing.TB) config.Config {
	t.Helper()
	limits := config.DefaultLimits()
	limits.KillGrace = 2 * atOnce
	return config.Config{
		Guard:   guard.DefaultPolicy(),
		Sandbox: sandbox.Policy{Mode: sandbox.WorkspaceWrite, Network: sandbox.NetworkDeny, Reads: sandbox.ReadsPrivate, Require: sandbox.RequireBestEffort},
		Limits:  limits, Home: t.TempDir(), SpoolDir: t.TempDir(), StateDir: box.StateDir,
		ShutdownGrace: time.Second,
	}
}

// start runs a server; change may alter its options.
func start(t *testing.T, change ...func(*Options)) *client {
	t.Helper()
	b, err := box.Manager()
	if err != nil {
		t.Fatal(err)
	}
	serverIn, in := pipe(t)
	out, serverOut := pipe(t)
	c := &client{t: t, ws: t.TempDir(), in: in, out: out, log: new(lockedBuffer), code: make(chan int, 1), more: make(chan struct{}, 1)}
	o := Options{
		In: serverIn, Out: serverOut, Config: testConfig(t), Sandbox: b, Version: "test",
		Log: slog.New(slog.NewTextHandler(c.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	for _, f := range change {
		f(&o)
	}
	ctx, stop := context.WithCancel(context.Background())
	c.stop = stop
	c.scope.Go(func() { c.code <- Serve(ctx, o) })
	c.scope.Go(c.read)
	t.Cleanup(c.close)
	return c
}

func pipe(t *testing.T) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	return r, w
}

func (c *client) close() {
	_ = c.in.Close()
	c.stop()
	_ = c.out.Close()
	c.scope.Wait()
	if c.t.Failed() {
		c.t.Log("server log:\n" + c.log.String())
	}
}

func (c *client) read() {
	r := jsonrpc.FramingHeader.Packets(sips{c}, 2*protocol.MaxMessageBytes)
	for {
		c.pass()
		m, err := readMessage(r)
		c.mu.Lock()
		if err != nil {
			c.eof = true
		} else {
			c.got = append(c.got, m)
		}
		c.mu.Unlock()
		select {
		case c.more <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

// pace makes the client read a kilobyte at a time and wait in between.
func (c *client) pace(d time.Duration) { c.slow.Store(int64(d)) }

// sips is what a client reads from.
type sips struct{ *client }

func (c sips) Read(p []byte) (int, error) {
	if d := time.Duration(c.slow.Load()); d > 0 {
		time.Sleep(d)
		p = p[:min(len(p), 1<<10)]
	}
	return c.out.Read(p)
}

// pass waits while the client is not reading.
func (c *client) pass() {
	c.gate.Lock()
	defer c.gate.Unlock()
}

func readMessage(r jsonrpc.Packets) (m message, err error) {
	p, err := r.Next()
	if err != nil {
		return m, err
	}
	return m, json.Unmarshal(p.Body, &m)
}

// raw sends bytes as they are.
func (c *client) raw(s string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, s); err != nil {
		c.t.Fatal(err)
	}
}

// body sends one frame.
func (c *client) body(s string) {
	c.t.Helper()
	c.raw(framed(s))
}

func framed(body string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body) }

// deafen closes the client's end of the output and asks for an answer that can't be
// written. A sidecar that wrote in between has met the closed end and may be gone:
// then the request can't be sent, and exited says how it ended.
func (c *client) deafen() {
	_ = c.out.Close()
	_, _ = io.WriteString(c.in, framed(`{"jsonrpc":"2.0","id":9,"method":"server/status","params":{}}`))
}

func (c *client) request(id int, method, params string) {
	c.t.Helper()
	c.body(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, method, params))
}

func (c *client) notify(method, params string) {
	c.t.Helper()
	c.body(fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":%s}`, method, params))
}

// wait returns the first message, of all received so far and later, that ok says
// yes to.
func (c *client) wait(what string, ok func(message) bool) message {
	c.t.Helper()
	deadline := time.After(patience)
	for {
		c.mu.Lock()
		i := slices.IndexFunc(c.got, ok)
		var m message
		if i >= 0 {
			m = c.got[i]
		}
		eof := c.eof
		c.mu.Unlock()
		if i >= 0 {
			return m
		}
		if eof {
			c.t.Fatalf("the server is gone without %s; got %s", what, c.dump())
		}
		select {
		case <-c.more:
		case <-deadline:
			c.t.Fatalf("no %s; got %s", what, c.dump())
		}
	}
}

func (c *client) dump() string {
	all, _ := json.Marshal(c.all())
	return string(all)
}

func (c *client) all() []message {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.got)
}

// forget drops the messages so far.
func (c *client) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.got = nil
}

func answers(id string) func(message) bool {
	return func(m message) bool { return string(m.ID) == id && m.Method == "" }
}

func (c *client) answer(id int) message {
	c.t.Helper()
	return c.wait(fmt.Sprintf("answer to %d", id), answers(fmt.Sprint(id)))
}

// result decodes the result of a request.
func (c *client) result(id int, into any) {
	c.t.Helper()
	m := c.answer(id)
	if m.Error != nil {
		c.t.Fatalf("request %d: %d %s %s", id, m.Error.Code, m.Error.Message, m.Error.Data)
	}
	if err := json.Unmarshal(m.Result, into); err != nil {
		c.t.Fatal(err)
	}
}

// fails checks a request's error and returns its data.
func (c *client) fails(id, code int, kind string) map[string]any {
	c.t.Helper()
	return c.failure(c.answer(id), code, kind)
}

func (c *client) failure(m message, code int, kind string) map[string]any {
	c.t.Helper()
	if m.Error == nil {
		c.t.Fatalf("result %s, want error %d", m.Result, code)
	}
	data := map[string]any{}
	if err := json.Unmarshal(m.Error.Data, &data); err != nil {
		c.t.Fatalf("%v in %s", err, m.Error.Data)
	}
	if m.Error.Code != code || data["kind"] != kind || data["started"] != false {
		c.t.Fatalf("error %d %s %s, want %d %s", m.Error.Code, m.Error.Message, m.Error.Data, code, kind)
	}
	return data
}

// ready makes a connection that serves exec in c.ws.
func ready(t *testing.T, change ...func(*Options)) *client {
	t.Helper()
	c := start(t, change...)
	c.request(1, "initialize", fmt.Sprintf(`{"processId":null,"workspaceFolders":[{"uri":%q}],"capabilities":{}}`, "file://"+c.ws))
	c.result(1, new(protocol.InitializeResult))
	c.notify("initialized", "{}")
	c.forget()
	return c
}

// exited waits for Serve's return.
func (c *client) exited() int {
	c.t.Helper()
	select {
	case code := <-c.code:
		return code
	case <-time.After(patience):
		c.t.Fatal("the server doesn't end")
		return -1
	}
}
