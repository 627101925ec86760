package codex

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

// sandboxIntent is what Codex wants to be enforced. It can only tighten ours.
type sandboxIntent struct {
	Roots       []string `json:"workspaceRoots"`
	Permissions struct {
		Type  string `json:"type"`
		Files struct {
			Type    string `json:"type"`
			Entries []struct {
				Access string `json:"access"`
			} `json:"entries"`
		} `json:"file_system"`
	} `json:"permissions"`
}

func (i *sandboxIntent) readOnly() bool {
	if i == nil || i.Permissions.Files.Type != "restricted" {
		return false
	}
	for _, e := range i.Permissions.Files.Entries {
		if e.Access == "write" {
			return false
		}
	}
	return true
}

type startParams struct {
	ID       string `json:"processId"`
	Metadata struct {
		ThreadID   string `json:"threadId"`
		ToolCallID string `json:"toolCallId"`
	} `json:"metadata"`
	Argv      []string          `json:"argv"`
	Cwd       string            `json:"cwd"`
	Env       map[string]string `json:"env"`
	TTY       bool              `json:"tty"`
	PipeStdin bool              `json:"pipeStdin"`
	Sandbox   *sandboxIntent    `json:"sandbox"`
}

func (s *server) info() any {
	type shell struct {
		Name string `json:"name"`
		Path string `json:"path"`
	}
	return struct {
		Shell shell  `json:"shell"`
		Cwd   string `json:"cwd"`
	}{shell{filepath.Base(s.host.Shell), s.host.Shell}, toURI(s.host.Cwd)}
}

// start answers when the process runs, or with the reason why it doesn't.
func (s *server) start(p startParams) (any, error) {
	params, err := p.exec()
	if err != nil {
		return nil, err
	}
	session, err := s.session(p.Sandbox)
	if err != nil {
		return nil, err
	}
	run, err := s.register(p, session)
	if err != nil {
		return nil, err
	}
	params.ExecID, params.PartialResultToken = run.exec, protocol.Token(run.exec)
	answered := make(chan error, 1)
	s.scope.Go(func() {
		var result protocol.ExecResult
		err := session.Call(s.ctx, "exec", params, &result)
		answered <- err
		if err != nil {
			s.forget(run)
			return
		}
		<-run.started
		run.finish(result)
	})
	select {
	case <-run.started:
	case err := <-answered:
		if err != nil {
			return nil, fault{failed, s.host.Reason(err)}
		}
	}
	return struct {
		ID string `json:"processId"`
	}{p.ID}, nil
}

// own are variables that the sandbox sets, and no client.
var own = []string{"HOME", "TMPDIR", "PWD", "OLDPWD", "PATH", "SHELL", "USER", "LOGNAME", "PILLION_OUTPUTS"}

func (p startParams) exec() (protocol.ExecParams, error) {
	cwd, err := fromURI(p.Cwd)
	if err != nil {
		return protocol.ExecParams{}, err
	}
	out := protocol.ExecParams{Cwd: cwd, Argv: p.Argv, Env: map[string]protocol.Nullable[string]{}, TimeoutMs: protocol.Nullable[int64]{Set: true, Null: true}}
	if len(p.Argv) == 0 || p.ID == "" {
		return out, fault{invalidParams, "process/start wants a processId and an argv"}
	}
	if shell := filepath.Base(p.Argv[0]); len(p.Argv) == 3 && (p.Argv[1] == "-lc" || p.Argv[1] == "-c") && (shell == "bash" || shell == "sh") {
		out.Argv, out.Command, out.Shell = nil, p.Argv[2], shell
	}
	for name, value := range p.Env {
		if !slices.Contains(own, name) && !strings.HasPrefix(name, "CODEX_") {
			out.Env[name] = protocol.Nullable[string]{Set: true, Value: value}
		}
	}
	if p.Sandbox.readOnly() {
		out.Sandbox.Mode = "read-only"
	}
	out.Description = "Codex " + strings.Trim(p.Metadata.ThreadID+":"+p.Metadata.ToolCallID, ":")
	out.Output.Encoding, out.Output.Merge = "base64", !p.TTY
	switch {
	case p.TTY:
		out.Pty, out.Output.Merge = &protocol.PtyParams{Rows: 24, Cols: 120}, false
	case p.PipeStdin:
		out.Stdin = &protocol.StdinParams{Open: true}
	}
	return out, nil
}
