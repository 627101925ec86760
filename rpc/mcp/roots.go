package mcp

import (
	"context"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pillion-sidecar/pillion/rpc"
)

// rootsTime is how long a host is waited for that says it has roots.
const rootsTime = 10 * time.Second

// lookUp is the workspace: what the command line says, else the host's roots, else,
// for a host that has none to offer, the directory that it started us in.
func (s *session) lookUp(host *mcp.ServerSession) []rpc.WorkspaceFolder {
	caps := host.InitializeParams().Capabilities
	switch {
	case len(s.o.Roots) > 0:
		return folders(s.o.Roots)
	case caps == nil || caps.RootsV2 == nil:
		if s.o.Dir == "" {
			return nil
		}
		return folders([]string{s.o.Dir})
	}
	ctx, cancel := context.WithTimeout(s.ctx, rootsTime)
	defer cancel()
	roots, err := host.ListRoots(ctx, nil)
	if err != nil {
		s.o.Log.Warn("the host did not say what its roots are; there is no workspace", "error", err)
		return nil
	}
	var list []rpc.WorkspaceFolder
	for _, r := range roots.Roots {
		list = append(list, rpc.WorkspaceFolder{URI: r.URI, Name: r.Name})
	}
	return list
}

func folders(paths []string) (list []rpc.WorkspaceFolder) {
	for _, p := range paths {
		list = append(list, rpc.WorkspaceFolder{URI: p, Name: p})
	}
	return list
}

// rootsChanged asks for the roots again. Commands that come from now on wait for
// the answer; those that run keep the workspace that they were admitted with.
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
		now := s.lookUp(host)
		change := rpc.FoldersEvent{Added: missing(now, old), Removed: missing(old, now)}
		if err := conn.Notify(s.ctx, "workspace/didChangeWorkspaceFolders", rpc.DidChangeFoldersParams{Event: change}); err != nil {
			return
		}
		s.mu.Lock()
		s.folders = now
		s.mu.Unlock()
	})
}

// missing are the folders of list that others does not have.
func missing(list, others []rpc.WorkspaceFolder) []rpc.WorkspaceFolder {
	out := []rpc.WorkspaceFolder{}
	for _, f := range list {
		if !slices.ContainsFunc(others, func(o rpc.WorkspaceFolder) bool { return o.URI == f.URI }) {
			out = append(out, f)
		}
	}
	return out
}
