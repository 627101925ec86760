package rpc

import (
	"errors"

	"github.com/pillion-sidecar/pillion/config"
	"github.com/pillion-sidecar/pillion/executor"
	"github.com/pillion-sidecar/pillion/rpc/convert"
	"github.com/pillion-sidecar/pillion/rpc/display"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
	"github.com/pillion-sidecar/pillion/workspace"
)

// ReadPolicies reads the policy files in the roots of the folders: when the
// folders are opened, not later, for a command could have edited them meanwhile.
func ReadPolicies(set *workspace.Set) (files []*config.WorkspaceFile, mistakes []*config.FileError) {
	for _, f := range set.Files(config.WorkspaceFileName, config.MaxFileBytes) {
		file, err := (*config.WorkspaceFile)(nil), f.Err
		if err == nil {
			file, err = config.ParseWorkspace(f.Path, f.Data)
		}
		var mistake *config.FileError
		switch {
		case err == nil:
			files = append(files, file)
		case errors.As(err, &mistake):
			mistakes = append(mistakes, mistake)
		default:
			mistakes = append(mistakes, &config.FileError{File: f.Path, Problems: []config.Problem{{Message: err.Error()}}})
		}
	}
	return files, mistakes
}

// govern puts a configuration and a workspace in force, in one step, for the
// commands to come. The caller holds changing.
func (s *server) govern(conf config.Config, f folderState) {
	next := s.engineConfig(conf.Tighten(f.files).Apart(f.set.Folders()))
	s.mu.Lock()
	defer s.mu.Unlock()
	f.revision = s.folders.revision + 1
	s.conf, s.folders, s.engine = conf, f, s.engine.With(next)
}

// engineConfig is the part of a Config that may change during a session.
func (s *server) engineConfig(c config.Config) executor.Config {
	sockets, named := c.HostSockets(resolvedLinks)
	c.Sandbox.Sockets, c.Sandbox.HomeFiles = sockets, c.HomeFiles()
	return executor.Config{
		Hosts: c.Hosts, NetworkImplied: c.NetworkImplied, Sockets: named, Keys: c.Keys(),
		Limits: c.Limits, Guard: c.Guard, Policy: c.Sandbox, Grants: c.Grants, Bounds: c.Bounds, Remembered: c.Remembered, Home: c.Home, Env: c.Env,
		Places: s.places(c), OwnEnv: c.OwnEnv, Path: c.Path, Summary: c.Summary, Leave: c.Leave,
		Approver: s.approver(c.AskByMessage), Remember: s.rememberer(), Retry: s.client.Exec.ApprovalRetry, ApprovalTimeout: c.ApprovalTimeout,
	}
}

func resolvedLinks(path string) string {
	at, _ := workspace.Resolve(nil, path, "/")
	return at
}

// lawful refuses a command while a policy file can't be used: ignoring the file
// would run commands that it forbids.
func (f folderState) lawful(id string) error {
	if len(f.mistakes) == 0 {
		return nil
	}
	data := protocol.PolicyInvalidData{ErrorData: protocol.ErrorData{Kind: "policyInvalid", ExecID: id}}
	for _, m := range f.mistakes {
		for _, p := range m.Problems {
			data.Problems = append(data.Problems, protocol.PolicyProblem{
				File: m.File, Line: p.Line, Column: p.Column, Key: display.Line(p.Key), Message: display.Line(p.Message),
			})
		}
	}
	return convert.Refuse(protocol.CodePolicyInvalid, data, "%s; mend the file and open the folder again", display.Line(f.mistakes[0].First()))
}
