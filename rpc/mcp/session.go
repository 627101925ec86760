package mcp

import (
	"context"
	"errors"
	"io"
	"strconv"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/sourcegraph/conc"
	"go.lsp.dev/jsonrpc2"

	"github.com/pillion-sidecar/pillion/rpc"
	"github.com/pillion-sidecar/pillion/rpc/cli"
	"github.com/pillion-sidecar/pillion/sandbox"
)

// session is the one client of a server in this process, for one host.
type session struct {
	o      cli.AgentHost
	ctx    context.Context // until the host has gone
	end    context.CancelCauseFunc
	scope  conc.WaitGroup // the server, and what looks up the roots
	starts sync.Once

	mu      sync.Mutex
	host    *mcp.ServerSession
	conn    jsonrpc2.Conn // nil until it is initialized
	ready   chan struct{} // closed: the folders are what the host said last
	failed  error         // why there is no server
	folders []rpc.WorkspaceFolder
	last    int
	runs    map[string]*run
	asked   map[string]context.CancelFunc // questions, by the server's request
}

// errGone is why everything ends when the host does.
var errGone = errors.New("the host is gone")

func newSession(o cli.AgentHost) *session {
	s := &session{o: o, ready: make(chan struct{}), runs: map[string]*run{}, asked: map[string]context.CancelFunc{}}
	s.ctx, s.end = context.WithCancelCause(context.Background())
	return s
}

// hangUp ends every command, as an editor does that vanishes.
func (s *session) hangUp() { s.end(errGone) }

// close waits for the server, and so for every process that it started.
func (s *session) close() {
	s.hangUp()
	s.scope.Wait()
}

// begin starts the server and opens the workspace. It does not wait: the library
// reads nothing meanwhile, and the host's roots are read.
func (s *session) begin(host *mcp.ServerSession) {
	s.starts.Do(func() {
		ready := s.ready // the first one, whatever changes meanwhile
		s.scope.Go(func() {
			defer close(ready)
			conn, err := s.dial()
			var folders []rpc.WorkspaceFolder
			if err == nil {
				folders = s.lookUp(host)
				err = s.initialize(conn, host, folders)
			}
			s.mu.Lock()
			defer s.mu.Unlock()
			s.host, s.conn, s.failed, s.folders = host, conn, err, folders
		})
	})
}

// server waits for the workspace that the host has asked for last.
func (s *session) server(ctx context.Context, host *mcp.ServerSession) (jsonrpc2.Conn, error) {
	s.begin(host) // a host that doesn't send initialized
	s.mu.Lock()
	ready := s.ready
	s.mu.Unlock()
	select {
	case <-ready:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-s.ctx.Done():
		return nil, errGone
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.conn, s.failed
}

// dial starts the server.
func (s *session) dial() (jsonrpc2.Conn, error) {
	boxes, err := sandbox.Open(sandbox.Options{StateDir: s.o.Config.StateDir, Program: "-mcp"})
	if err != nil {
		return nil, err
	}
	in, requests := io.Pipe()
	answers, out := io.Pipe()
	context.AfterFunc(s.ctx, func() { _ = requests.Close() }) // as an editor's pipe ends
	s.scope.Go(func() {
		rpc.Serve(context.WithoutCancel(s.ctx), rpc.Options{In: in, Out: out, Config: s.o.Config, Sandbox: boxes, Own: s.o.Own, Version: s.o.Version, Log: s.o.Log})
		// However it ended: nobody may wait for an answer any more.
		_, _ = in.Close(), out.Close()
		boxes.Close()
	})
	conn := jsonrpc2.NewConn(jsonrpc2.NewHeaderStream(duplex{answers, requests}))
	conn.Go(context.WithoutCancel(s.ctx), s.handle)
	return conn, nil
}

func (s *session) initialize(conn jsonrpc2.Conn, host *mcp.ServerSession, folders []rpc.WorkspaceFolder) error {
	p := rpc.InitializeParams{WorkspaceFolders: folders, ClientInfo: &rpc.ClientInfo{Name: "mcp"}}
	if info := host.InitializeParams().ClientInfo; info != nil {
		p.ClientInfo = &rpc.ClientInfo{Name: "mcp: " + info.Name, Version: info.Version}
	}
	p.Capabilities.Exec = rpc.ExecCapabilities{Approval: elicits(host), Ack: true}
	if _, err := conn.Call(s.ctx, "initialize", p, nil); err != nil {
		return err
	}
	return conn.Notify(s.ctx, "initialized", struct{}{})
}

// handle serves what the server sends. It must not wait for the host: nothing more
// would be read, not even the answer to a cancel.
func (s *session) handle(ctx context.Context, req *jsonrpc2.Request) (any, error) {
	switch req.Method() {
	case "$/progress":
		s.progress(req.Params())
	case "exec/requestApproval":
		return s.approve(ctx, req)
	case "$/cancelRequest":
		s.withdraw(req.Params())
	default:
		if req.IsCall() {
			return nil, jsonrpc2.ErrMethodNotFound
		}
	}
	return nil, nil // of what it logs it has told the log already
}

// name makes an id that a model can repeat without a mistake.
func (s *session) name() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last++
	return "run-" + strconv.Itoa(s.last)
}

// duplex is the client's end of the two pipes.
type duplex struct {
	*io.PipeReader
	w *io.PipeWriter
}

func (d duplex) Write(p []byte) (int, error) { return d.w.Write(p) }
func (d duplex) Close() error                { return errors.Join(d.PipeReader.Close(), d.w.Close()) }
