package rpc

import (
	"context"
	"errors"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/jsonrpc2"

	"github.com/pillion-sidecar/pillion/config"
	"github.com/pillion-sidecar/pillion/executor"
)

// initialize sets the connection up. When it fails the phase stays, so that the
// client can try again.
func (s *server) initialize(p *InitializeParams) (any, error) {
	conf, err := s.configure(p.InitializationOptions)
	if err != nil {
		return nil, err
	}
	start := engineConfig(conf)
	start.SpoolDir, start.CacheDir, start.Sandbox, start.Log = conf.SpoolDir, conf.CacheDir(), s.boxes, s.log
	record := newAudit(conf.AuditDir(), s.opts.Version, p.ClientInfo, func(err error) {
		s.log.Error("the audit log can't be written; server/status counts the lines that are lost", "error", err)
	})
	if record.file != nil {
		start.Recorder = record
	}
	start.Approver = s.approver(p.Capabilities.Exec.Approval, conf.AskByMessage)
	engine, err := executor.New(start)
	if err != nil {
		return nil, err
	}
	if !s.become(conf, engine, record) {
		return nil, invalidRequest("the server is shutting down")
	}
	s.suits(p.Capabilities.Exec)
	s.openFolders(initialFolders(p))
	if p.ClientInfo != nil {
		s.log.Info("client", "name", p.ClientInfo.Name, "version", p.ClientInfo.Version)
	}
	if p.ProcessID != nil {
		s.watchParent(*p.ProcessID)
	}
	return s.capabilities(p, s.commands()), nil // the folders may have changed its policy and limits
}

// eventViolation is a kind of progress that only some clients want.
const eventViolation = "violation"

// suits notes what the client wants and can do.
func (s *server) suits(client ExecCapabilities) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.violations, s.acks = slices.Contains(client.Events, eventViolation), client.Ack
}

// become sets what was configured, unless the connection has ended meanwhile: a
// command admitted now would outlive it.
func (s *server) become(conf config.Config, engine *executor.Engine, record *audit) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.phase != created {
		return false
	}
	s.conf, s.engine, s.audit, s.phase = conf, engine, record, initializing
	return true
}

// configure lays the editor's options over the user's configuration. They are
// decoded strictly: a mistyped restriction must not go unnoticed.
func (s *server) configure(raw jsontext.Value) (config.Config, error) {
	o := InitializationOptions{ProtocolVersion: ProtocolVersion}
	if len(raw) > 0 && raw.Kind() != 'n' {
		if bad := decodeStrict(raw, &o, anywhere); bad != nil {
			if near := config.NearestOption(bad.Path); len(bad.Unknown) > 0 && near != "" {
				bad.Expected += " (did you mean " + near + "?)"
			}
			return config.Config{}, inOptions(bad)
		}
	}
	if o.ProtocolVersion != ProtocolVersion {
		return config.Config{}, fault(CodeUnsupportedProtocol, UnsupportedProtocolData{
			ErrorData: kind("unsupportedProtocolVersion"), Supported: []int{ProtocolVersion}, Requested: o.ProtocolVersion,
		}, "protocol version %d is not supported; this server speaks %d", o.ProtocolVersion, ProtocolVersion)
	}
	conf, err := s.opts.Config.With(o.InitOptions)
	var param *executor.ParamError
	if errors.As(err, &param) {
		err = inOptions(wrong(param.Path, param.Expected, param.Got))
	}
	return conf, err
}

func inOptions(bad *InvalidParamsData) error {
	bad.Path = "/initializationOptions" + bad.Path
	return bad.fault()
}

func anywhere(jsontext.Pointer) bool { return true }

func initialFolders(p *InitializeParams) []string {
	var uris []string
	for _, f := range p.WorkspaceFolders {
		uris = append(uris, f.URI)
	}
	if len(uris) == 0 && p.RootURI != nil {
		uris = append(uris, *p.RootURI)
	}
	return uris
}

func (s *server) capabilities(p *InitializeParams, e *executor.Engine) InitializeResult {
	policy := e.Guard()
	shells, dialects := []Shell{}, []string{}
	for _, sh := range e.Shells() {
		shells = append(shells, Shell{Name: sh.Name, Path: sh.Path, Dialect: sh.Dialect})
		if !slices.Contains(dialects, sh.Dialect) {
			dialects = append(dialects, sh.Dialect)
		}
	}
	return InitializeResult{
		ProtocolVersion: ProtocolVersion,
		ServerInfo:      ServerInfo{Name: "pillion", Version: s.opts.Version, SchemaHash: SchemaHash()},
		Capabilities: ServerCapabilities{
			PositionEncoding: positionEncoding(p.Capabilities.General.PositionEncodings),
			Workspace: ServerWorkspaceCapabilities{
				WorkspaceFolders: WorkspaceFoldersCapability{Supported: true, ChangeNotifications: true},
			},
			ExecProvider: ExecProvider{
				WorkDoneProgress: true, Merge: true, Ack: true, Encodings: []string{"utf-8", "base64"}, Shells: shells, Signals: executor.Signals(), PTY: executor.HasTerminals(),
				OnBackground: []string{executor.Kill, executor.Leave}, NamedSandboxes: true, Events: []string{eventViolation},
				Approval: true,
			},
			GuardProvider: GuardProvider{
				Check: true, Explain: true, Grants: true, Dialects: dialects,
				Policy: PolicyID{ID: policy.ID, Version: policy.Version, Hash: policy.Hash()},
			},
			Sandbox: sandboxReport(s.boxes.Report()),
			Limits:  limits(e.Limits(), e.CommandLimits()),
		},
	}
}

// positionEncoding is the client's first choice that exists; LSP's default is
// utf-16.
func positionEncoding(wanted []string) string {
	for _, e := range wanted {
		if e == "utf-8" || e == "utf-16" || e == "utf-32" {
			return e
		}
	}
	return "utf-16"
}

func (s *server) initialized(context.Context, *jsonrpc2.Request) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.phase == initializing {
		s.phase = running
	}
	return nil, nil
}

func (s *server) setTrace(p *SetTraceParams) (any, error) {
	s.log.Debug("trace", "value", display(p.Value))
	return nil, nil
}
