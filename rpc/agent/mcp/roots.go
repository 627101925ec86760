package mcp

//lint:file-ignore SA1019 hosts tell their folders by roots, in every version that is served

import (
	"context"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pillion-sidecar/pillion/rpc/client"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

// rootsTime is how long a host is waited for that says it has roots.
const rootsTime = 10 * time.Second

// lookUp is the workspace at the beginning: what the command line says, else the
// host's roots, else the directory that it started us in. Some hosts announce roots
// and never have any.
func (s *session) lookUp(host *mcp.ServerSession) []protocol.WorkspaceFolder {
	if len(s.o.Roots) > 0 {
		return client.Folders(s.o.Roots...)
	}
	if list := s.hostRoots(host); len(list) > 0 || s.o.Dir == "" {
		return list
	}
	return client.Folders(s.o.Dir)
}

// hostRoots are the host's roots as they are now.
func (s *session) hostRoots(host *mcp.ServerSession) []protocol.WorkspaceFolder {
	if caps := host.InitializeParams().Capabilities; caps == nil || caps.RootsV2 == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(s.ctx, rootsTime)
	defer cancel()
	roots, err := host.ListRoots(ctx, nil)
	if err != nil {
		s.o.Log.Warn("the host did not say what its roots are", "error", err)
		return nil
	}
	var list []protocol.WorkspaceFolder
	for _, r := range roots.Roots {
		list = append(list, protocol.WorkspaceFolder{URI: r.URI, Name: r.Name})
	}
	return list
}

// rootsChanged asks for the roots again; that there are none any more is an answer,
// too. Commands that come from now on wait for it; those that run keep the workspace
// that they were admitted with.
func (s *session) rootsChanged(host *mcp.ServerSession) {
	s.mu.Lock()
	before, after := s.ready, make(chan struct{})
	s.ready = after
	s.mu.Unlock()
	s.scope.Go(func() {
		defer close(after)
		select {
		case <-before:
		case <-s.ctx.Done():
			return
		}
		s.mu.Lock()
		conn, old := s.conn, s.folders
		s.mu.Unlock()
		if conn == nil || len(s.o.Roots) > 0 {
			return
		}
		now := s.hostRoots(host)
		change := protocol.FoldersEvent{Added: missing(now, old), Removed: missing(old, now)}
		if err := conn.Notify("workspace/didChangeWorkspaceFolders", protocol.DidChangeFoldersParams{Event: change}); err != nil {
			return
		}
		s.mu.Lock()
		s.folders = now
		s.mu.Unlock()
	})
}

// missing are the folders of list that others does not have.
func missing(list, others []protocol.WorkspaceFolder) []protocol.WorkspaceFolder {
	out := []protocol.WorkspaceFolder{}
	for _, f := range list {
		if !slices.ContainsFunc(others, func(o protocol.WorkspaceFolder) bool { return o.URI == f.URI }) {
			out = append(out, f)
		}
	}
	return out
}
