package mcp

import (
	"context"
	"errors"
	"strconv"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/sourcegraph/conc"

	"github.com/pillion-sidecar/pillion/config"
	"github.com/pillion-sidecar/pillion/rpc"
	"github.com/pillion-sidecar/pillion/rpc/agent"
	"github.com/pillion-sidecar/pillion/rpc/client"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
	"github.com/pillion-sidecar/pillion/sandbox"
)

// session is the one client of a server in this process, for one host.
type session struct {
	o      agent.Host
	ctx    context.Context // until the host has gone
	end    context.CancelCauseFunc
	scope  conc.WaitGroup // the server, and what looks up the roots
	starts sync.Once

	mu      sync.Mutex
	host    *mcp.ServerSession
	conn    *client.Client // nil until it is initialized
	ready   chan struct{}  // closed: the folders are what the host said last
	failed  error          // why there is no server
	folders []protocol.WorkspaceFolder
	last    int
	runs    map[string]*run
	open    map[string]*open
	done    []done // the newest last
}

// errGone is why everything ends when the host does.
var errGone = errors.New("the host is gone")

func newSession(o agent.Host) *session {
	s := &session{o: o, ready: make(chan struct{}), runs: map[string]*run{}, open: map[string]*open{}}
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
			var folders []protocol.WorkspaceFolder
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
func (s *session) server(ctx context.Context, host *mcp.ServerSession) (*client.Client, error) {
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
func (s *session) dial() (*client.Client, error) {
	boxes, err := sandbox.Open(sandbox.Options{StateDir: s.o.Config.StateDir, Own: s.o.Config.Own(), Program: "-mcp"})
	if err != nil {
		return nil, err
	}
	conf := s.o.Config
	if conf.Limits.InputWait == 0 {
		conf.Limits.InputWait = inputWait
	}
	server := rpc.Options{Config: conf, Sandbox: boxes, Own: s.o.Own, Version: s.o.Version, Log: s.o.Log}
	c := client.InProcess(context.WithoutCancel(s.ctx), server, client.Options{Event: s.progress, Waiting: s.waiting, Port: s.listens, Approve: s.approve})
	context.AfterFunc(s.ctx, c.HangUp) // as an editor's pipe ends
	s.scope.Go(func() { _ = c.Wait() })
	return c, nil
}

func (s *session) initialize(c *client.Client, host *mcp.ServerSession, folders []protocol.WorkspaceFolder) error {
	p := protocol.InitializeParams{WorkspaceFolders: folders, ClientInfo: &protocol.ClientInfo{Name: "mcp"}}
	if info := host.InitializeParams().ClientInfo; info != nil {
		p.ClientInfo = &protocol.ClientInfo{Name: "mcp: " + info.Name, Version: info.Version}
	}
	// A person gives a port: letOut asks for it, and nothing of the model's gives any.
	p.Capabilities.Exec = protocol.ExecCapabilities{Approval: elicits(host), Grants: elicits(host), Ack: true, Events: []string{"waiting", "port"}}
	_, err := c.Initialize(s.ctx, p, config.InitOptions{})
	return err
}

// name makes an id that a model can repeat without a mistake.
func (s *session) name(kind string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last++
	return kind + strconv.Itoa(s.last)
}
