package rpc

import (
	"context"
	"errors"
	"slices"

	"github.com/pillion-sidecar/pillion/config"
	"github.com/pillion-sidecar/pillion/executor"
	"github.com/pillion-sidecar/pillion/rpc/audit"
	"github.com/pillion-sidecar/pillion/rpc/convert"
	"github.com/pillion-sidecar/pillion/rpc/jsonrpc"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

// initialize sets the connection up. When it fails the phase stays, so that the
// client can try again.
func (s *server) initialize(p *protocol.InitializeParams) (any, error) {
	o, conf, err := s.configure(p)
	if err != nil {
		return nil, err
	}
	if s.unopened != nil {
		return nil, s.unopened
	}
	s.client = p.Capabilities // on this goroutine, and nothing else runs yet
	start := s.engineConfig(conf)
	start.SpoolDir, start.CacheDir, start.OutputDir = conf.SpoolDir, conf.CacheDir(), conf.OutputDir()
	start.JournalDir, start.RefsDir = conf.JournalDir(), conf.RefsDir()
	start.Sandbox, start.Log = s.boxes, s.log
	record := audit.New(conf.AuditDir(), s.opts.Version, p.ClientInfo, func(err error) {
		s.log.Error("the audit log can't be written; server/status counts the lines that are lost", "error", err)
	})
	if record.Enabled() {
		start.Recorder = record
	}
	if slices.Contains(s.client.Exec.Events, eventPort) {
		start.Listens = s.listens
	}
	engine, err := executor.New(start)
	if err != nil {
		return nil, err
	}
	if !s.become(conf, engine, record) {
		return nil, convert.InvalidRequest("the server is shutting down")
	}
	s.suits(p.Capabilities.Exec)
	if p.Trace != "" {
		s.trace.set(p.Trace)
	}
	s.said, s.bridge = o.InitOptions, o.ExecuteCommand
	s.openFolders(initialFolders(p))
	if p.ClientInfo != nil {
		s.log.Info("client", "name", p.ClientInfo.Name, "version", p.ClientInfo.Version)
	}
	if p.ProcessID != nil {
		s.watchParent(*p.ProcessID)
	}
	return s.capabilities(p, s.commands()), nil // the folders may have changed its policy and limits
}

// Only some clients want these.
const (
	eventViolation = "violation"
	eventWaiting   = "waiting"
	eventPort      = "port" // exec/port
)

// events are those that can be sent here.
func events() []string {
	if executor.TellsWaiting {
		return []string{eventViolation, eventWaiting, eventPort}
	}
	return []string{eventViolation}
}

// suits notes what the client wants and can do.
func (s *server) suits(client protocol.ExecCapabilities) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.violations, s.waiting = slices.Contains(client.Events, eventViolation), slices.Contains(client.Events, eventWaiting)
	s.acks = client.Ack
}

// become sets what was configured, unless the connection has ended meanwhile: a
// command admitted now would outlive it.
func (s *server) become(conf config.Config, engine *executor.Engine, record *audit.Log) bool {
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
func (s *server) configure(p *protocol.InitializeParams) (o protocol.InitializationOptions, conf config.Config, err error) {
	raw := p.InitializationOptions
	o.ProtocolVersion = protocol.ProtocolVersion
	if len(raw) > 0 && raw.Kind() != 'n' {
		if bad := protocol.DecodeStrict(raw, &o, protocol.AnyNull); bad != nil {
			return o, conf, below("/initializationOptions", bad)
		}
	}
	if o.ProtocolVersion != protocol.ProtocolVersion {
		return o, conf, convert.Refuse(protocol.CodeUnsupportedProtocol, protocol.UnsupportedProtocolData{
			ErrorData: convert.Kind("unsupportedProtocolVersion"), Supported: []int{protocol.ProtocolVersion}, Requested: o.ProtocolVersion,
		}, "protocol version %d is not supported; this server speaks %d", o.ProtocolVersion, protocol.ProtocolVersion)
	}
	s.user = s.opts.Config
	if p.Capabilities.Exec.Approval || o.Approvals.Fallback == config.FallbackMessage {
		s.user = s.user.AskHosts()
	}
	s.ungranted = nil
	conf, err = s.user.With(o.InitOptions)
	var not *config.UngrantedError
	for p.Capabilities.Window.ShowMessage != nil && errors.As(err, &not) { // a person sees it, and what holds is stricter
		s.ungranted = append(s.ungranted, not.ParamError)
		o.InitOptions = not.Without(o.InitOptions)
		conf, err = s.user.With(o.InitOptions)
	}
	return o, conf, below("/initializationOptions", err)
}

func initialFolders(p *protocol.InitializeParams) []string {
	var uris []string
	for _, f := range p.WorkspaceFolders {
		uris = append(uris, f.URI)
	}
	if len(uris) == 0 && p.RootURI != nil {
		uris = append(uris, *p.RootURI)
	}
	return uris
}

func (s *server) capabilities(p *protocol.InitializeParams, e *executor.Engine) protocol.InitializeResult {
	policy := e.Guard()
	shells, dialects := []protocol.Shell{}, []string{}
	for _, sh := range e.Shells() {
		shells = append(shells, protocol.Shell{Name: sh.Name, Path: sh.Path, Dialect: sh.Dialect})
		if !slices.Contains(dialects, sh.Dialect) {
			dialects = append(dialects, sh.Dialect)
		}
	}
	return protocol.InitializeResult{
		ProtocolVersion: protocol.ProtocolVersion,
		ServerInfo:      protocol.ServerInfo{Name: "pillion", Version: s.opts.Version, SchemaHash: protocol.SchemaHash()},
		Capabilities: protocol.ServerCapabilities{
			PositionEncoding: positionEncoding(p.Capabilities.General.PositionEncodings),
			Workspace: protocol.ServerWorkspaceCapabilities{
				WorkspaceFolders: protocol.WorkspaceFoldersCapability{Supported: true, ChangeNotifications: true},
			},
			ExecuteCommand: s.bridged(),
			ExecProvider: protocol.ExecProvider{
				WorkDoneProgress: true, Merge: true, Ack: true, Encodings: []protocol.Encoding{protocol.EncodingText, protocol.EncodingBase64}, Shells: shells, Signals: executor.Signals(), PTY: executor.HasTerminals(),
				OnBackground: []config.OnBackground{config.Kill, config.Leave}, NamedSandboxes: true, Events: events(),
				Approval: true, ApprovalRetry: true,
			},
			GuardProvider: protocol.GuardProvider{
				Check: true, Explain: true, Grants: true, Dialects: dialects,
				Policy: protocol.PolicyID{ID: policy.ID, Version: policy.Version, Hash: policy.Hash()},
			},
			Sandbox: convert.Report(s.boxes.Report()),
			Limits:  convert.Limits(e.Limits(), e.CommandLimits()),
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

func (s *server) initialized(context.Context, *jsonrpc.Request) (any, error) {
	s.mu.Lock()
	if s.phase == initializing {
		s.phase = running
	}
	s.mu.Unlock()
	s.boxes.Begin() // not before: the answer to initialize would have had to share the processors
	for _, not := range s.ungranted {
		s.tellPerson("pillion: commands run without a setting: " + dotted(not))
	}
	s.pullSettings()
	return nil, nil
}
