package rpc

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/pillion-sidecar/pillion/config"
	"github.com/pillion-sidecar/pillion/rpc/convert"
	"github.com/pillion-sidecar/pillion/rpc/display"
	"github.com/pillion-sidecar/pillion/rpc/jsonrpc"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
	"github.com/pillion-sidecar/pillion/sandbox"
	"github.com/pillion-sidecar/pillion/workspace"
)

// openFolders makes the workspace of the folders that can be one. A refused
// folder doesn't end the session: the editor gets a server that says, also in
// every answer that concerns it, why commands can't run there.
func (s *server) openFolders(uris []string) {
	s.changing.Lock()
	defer s.changing.Unlock()
	conf := s.configuration()
	o := s.places(conf)
	set, refused, full := openSet(uris, o)
	for try := 0; full && try < maxCollects; try++ {
		_ = set.Close()
		runtime.GC() // it closes the Sets before this one, but counts no descriptors itself
		time.Sleep(collectTime)
		set, refused, full = openSet(uris, o)
	}
	files, mistakes := ReadPolicies(set)
	s.govern(conf, folderState{set: set, asked: uris, refused: refused, files: files, mistakes: mistakes})
	for _, m := range mistakes {
		s.log.Warn("policy refused", "file", m.File, "reason", m.First())
		s.logMessage(1, "pillion: no command runs: "+m.First())
	}
	for _, r := range refused {
		s.log.Warn("folder refused", "folder", r.Path, "reason", r.Reason)
		s.logMessage(2, "pillion: folder refused: "+r.Reason)
	}
}

// places are what commands must not own, as a workspace or in any other way.
func (s *server) places(c config.Config) workspace.Options {
	own := []string{c.StateDir, c.SpoolDir, c.PolicyFile}
	return workspace.Options{
		Home: c.Home, Grants: c.RootGrants, Own: append(own, s.opts.Own...),
		Path: filepath.SplitList(os.Getenv("PATH")), Sealed: sandbox.Sealed,
	}
}

// What the descriptors of folders that were replaced may take to be closed.
const (
	maxCollects = 10
	collectTime = 10 * time.Millisecond
)

// openSet opens the folders that can be one. full says that some were refused for
// want of descriptors.
func openSet(uris []string, o workspace.Options) (set *workspace.Set, refused []protocol.RefusedFolder, full bool) {
	var paths []string
	for _, uri := range uris {
		path, err := usable(uri, o)
		if err != nil {
			refused = append(refused, protocol.RefusedFolder{Path: uri, Reason: err.Error()})
			full = full || sandbox.Exhausted(err)
			continue
		}
		paths = append(paths, path)
	}
	set, err := workspace.Open(paths, o)
	if err != nil { // a folder vanished after it was tried
		refused = append(refused, protocol.RefusedFolder{Path: paths[0], Reason: err.Error()})
		full = full || sandbox.Exhausted(err)
		set, _ = workspace.Open(nil, o) // no folders: nothing to fail on
	}
	return set, refused, full
}

// usable tries one folder by itself, so that one bad folder doesn't take the
// others with it.
func usable(uri string, o workspace.Options) (string, error) {
	path, err := workspace.FromURI(uri)
	if err != nil {
		return "", err
	}
	set, err := workspace.Open([]string{path}, o)
	if err != nil {
		return "", err
	}
	return path, set.Close()
}

// didChangeFolders replaces the workspace for the commands to come. The old Set
// stays open for those that run; it is closed with the last of them by the
// garbage collector.
func (s *server) didChangeFolders(p *protocol.DidChangeFoldersParams) (any, error) {
	s.mu.Lock()
	asked := slices.Clone(s.folders.asked)
	s.mu.Unlock()
	for _, f := range p.Event.Removed {
		asked = slices.DeleteFunc(asked, func(uri string) bool { return uri == f.URI })
	}
	for _, f := range p.Event.Added {
		if !slices.Contains(asked, f.URI) {
			asked = append(asked, f.URI)
		}
	}
	s.openFolders(asked)
	return nil, nil
}

// explainFolders adds why folders of the editor are not part of the workspace.
func (f folderState) explain(err error, id string) error {
	var outside *workspace.OutsideError
	if len(f.refused) == 0 || !errors.As(err, &outside) {
		return err
	}
	data := protocol.OutsideData{
		ErrorData: protocol.ErrorData{Kind: "pathOutsideWorkspace", ExecID: id},
		Path:      outside.Path, Resolved: outside.Resolved, Folders: outside.Folders, Refused: f.refused,
	}
	if outside.Path == "" && len(outside.Folders) == 0 {
		return convert.Refuse(protocol.CodePathOutsideWorkspace, data, "there is no directory to run in: %s", f.refused[0].Reason)
	}
	return convert.Refuse(protocol.CodePathOutsideWorkspace, data, "%s (%s)", err.Error(), f.refused[0].Reason)
}

// logMessage shows the editor's user something.
func (s *server) logMessage(level int, text string) {
	_ = s.w.Send(jsonrpc.Notification("window/logMessage", protocol.LogMessageParams{Type: level, Message: display.Line(text)}))
}
