package protocol

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/pillion-sidecar/pillion/config"
)

// ProtocolVersion is the one major version of this package. Everything finer is a
// capability.
const ProtocolVersion = 1

// MaxMessageBytes bounds the body of a message from the client. A longer one is
// answered with -32600 and the connection lives on.
const MaxMessageBytes = 16 << 20

// InitializeParams open a connection; unknown members are ignored, because
// editors send many, and null stands for absent. InitializationOptions are
// decoded strictly.
type InitializeParams struct {
	ProcessID             *int               `json:"processId"` // the editor; null: not to be watched
	ClientInfo            *ClientInfo        `json:"clientInfo,omitzero"`
	Locale                string             `json:"locale,omitzero"`
	RootURI               *string            `json:"rootUri,omitzero" wire:"_ | null"` // used without workspaceFolders
	WorkspaceFolders      []WorkspaceFolder  `json:"workspaceFolders,omitzero" wire:"_ | null"`
	Trace                 TraceValue         `json:"trace,omitzero"`
	Capabilities          ClientCapabilities `json:"capabilities"`
	InitializationOptions jsontext.Value     `json:"initializationOptions,omitzero" wire:"InitializationOptions | null"`
}

// InitializationOptions are what an editor asks of its sidecar. They come from
// the editor, which is trusted; a file of the workspace can't set them.
//
//wire:strict
type InitializationOptions struct {
	ProtocolVersion int  `json:"protocolVersion,omitzero"` // absent: the newest of the server
	ExecuteCommand  bool `json:"executeCommand,omitzero"`  // workspace/executeCommand is served
	config.InitOptions
}

// ClientInfo names the client.
type ClientInfo struct {
	Name    string `json:"name"`
	Version string `json:"version,omitzero"`
}

// WorkspaceFolder is a folder that is open in the editor.
type WorkspaceFolder struct {
	URI  string `json:"uri"` // file: URI or absolute path
	Name string `json:"name,omitzero"`
}

// ClientCapabilities are what the client can take. Absent means unsupported.
type ClientCapabilities struct {
	General   GeneralCapabilities   `json:"general,omitzero"`
	Workspace WorkspaceCapabilities `json:"workspace,omitzero"`
	Window    WindowCapabilities    `json:"window,omitzero"`
	Exec      ExecCapabilities      `json:"exec,omitzero"`
}

// GeneralCapabilities are the part of LSP's that matters here.
type GeneralCapabilities struct {
	PositionEncodings []string `json:"positionEncodings,omitzero"` // most wanted first
}

// WorkspaceCapabilities are the part of LSP's that matters here.
type WorkspaceCapabilities struct {
	Configuration    bool `json:"configuration,omitzero"` // workspace/configuration is served
	WorkspaceFolders bool `json:"workspaceFolders,omitzero"`
}

// WindowCapabilities are the part of LSP's that matters here.
type WindowCapabilities struct {
	WorkDoneProgress bool                     `json:"workDoneProgress,omitzero"`
	ShowMessage      *ShowMessageCapabilities `json:"showMessage,omitzero" wire:"_ | null"` // its presence: window/showMessage is shown to a person
}

// ShowMessageCapabilities are LSP's, of which nothing matters here.
type ShowMessageCapabilities struct{}

// ExecCapabilities are what the client can take besides results.
type ExecCapabilities struct {
	Approval bool `json:"approval,omitzero"` // exec/requestApproval is served
	Ack      bool `json:"ack,omitzero"`      // exec/ack is sent: output.window holds

	// It serves no requests: it asks a person by itself and sends the command again
	// with the decision.
	ApprovalRetry bool `json:"approvalRetry,omitzero"`

	// A person answers by hand: with approval, they are offered acceptAlways, and what was
	// refused can be given with exec/retry. Never of an agent.
	Grants bool `json:"grants,omitzero"`

	Events []string `json:"events,omitzero"` // what is sent only if asked for: "violation", "waiting", "port"
}

// InitializeResult says what this server is and can enforce on this machine.
type InitializeResult struct {
	ProtocolVersion int                `json:"protocolVersion"`
	ServerInfo      ServerInfo         `json:"serverInfo"`
	Capabilities    ServerCapabilities `json:"capabilities"`
}

// ServerInfo names the server. SchemaHash changes with any name, type or word of the
// protocol, and with no comment, so that a generated client can tell that it is out of
// date.
type ServerInfo struct {
	Name       string `json:"name"`
	Version    string `json:"version"`
	SchemaHash string `json:"schemaHash"`
}

// ServerCapabilities are what this server serves. Absent means unsupported.
type ServerCapabilities struct {
	PositionEncoding string                      `json:"positionEncoding"`
	Workspace        ServerWorkspaceCapabilities `json:"workspace"`
	ExecuteCommand   *ExecuteCommandOptions      `json:"executeCommandProvider,omitzero"` // where initializationOptions.executeCommand asked for it
	ExecProvider     ExecProvider                `json:"execProvider"`
	GuardProvider    GuardProvider               `json:"guardProvider"`
	Sandbox          SandboxReport               `json:"sandbox"`
	Limits           Limits                      `json:"limits"`
}

// ServerWorkspaceCapabilities say that folders may come and go.
type ServerWorkspaceCapabilities struct {
	WorkspaceFolders WorkspaceFoldersCapability `json:"workspaceFolders"`
}

// WorkspaceFoldersCapability is LSP's.
type WorkspaceFoldersCapability struct {
	Supported           bool `json:"supported"`
	ChangeNotifications bool `json:"changeNotifications"`
}

// ExecProvider says how commands can be run.
type ExecProvider struct {
	WorkDoneProgress bool                  `json:"workDoneProgress"`
	PTY              bool                  `json:"pty"`
	Merge            bool                  `json:"merge"`
	Ack              bool                  `json:"ack"`       // output.window and exec/ack
	Signals          []string              `json:"signals"`   // of exec/signal
	Encodings        []Encoding            `json:"encodings"` // of output.encoding
	Shells           []Shell               `json:"shells"`    // the first is the default
	OnBackground     []config.OnBackground `json:"onBackground"`
	NamedSandboxes   bool                  `json:"namedSandboxes"` // sandbox.name, sandbox/list and sandbox/reset
	Approval         bool                  `json:"approval"`       // a client that announces it is asked
	ApprovalRetry    bool                  `json:"approvalRetry"`  // … or may send a command again with a person's decision
	Events           []string              `json:"events"`         // that capabilities.exec.events may ask for
}

// Shell is a shell that a request may name.
type Shell struct {
	Name    string `json:"name"`
	Path    string `json:"path"`
	Dialect string `json:"dialect"` // how the guard reads its text
}

// GuardProvider says what the guard does on request. It judges every command
// in any case.
type GuardProvider struct {
	Check    bool     `json:"check"`
	Explain  bool     `json:"explain"`
	Grants   bool     `json:"grants"`
	Dialects []string `json:"dialects"`
	Policy   PolicyID `json:"policy"`
}

// PolicyID names the policy in force.
type PolicyID struct {
	ID      string `json:"id"`
	Version string `json:"version"`
	Hash    string `json:"hash"` // "sha256:…"
}

// Limits are the constants the server runs with, in bytes, counts and
// milliseconds. A zero means that nothing is kept or served of it.
type Limits struct {
	MaxMessageBytes     int64 `json:"maxMessageBytes"`
	MaxCommandBytes     int   `json:"maxCommandBytes"`
	MaxCommands         int   `json:"maxCommands"` // of one exec
	MaxConcurrent       int   `json:"maxConcurrent"`
	MaxQueued           int   `json:"maxQueued"`
	MaxChunkBytes       int   `json:"maxChunkBytes"`
	StreamMaxBytes      int64 `json:"streamMaxBytes"`
	SpoolMaxBytes       int64 `json:"spoolMaxBytes"`
	SpoolTotalBytes     int64 `json:"spoolTotalBytes"`
	RetentionMs         int64 `json:"retentionMs"`
	RetainedExecs       int   `json:"retainedExecs"`
	MaxSaved            int   `json:"maxSaved"` // outputs kept by name at once
	MaxPendingApprovals int   `json:"maxPendingApprovals"`
	AckWaitMs           int64 `json:"ackWaitMs"` // how long the answer to an exec waits for each exec/ack

	// Of each command; docs/policy.md explains them.
	MaxProcesses     int   `json:"maxProcesses"`
	MaxMemoryBytes   int64 `json:"maxMemoryBytes"`
	MaxFileBytes     int64 `json:"maxFileBytes"`
	MaxOpenFiles     int   `json:"maxOpenFiles"`
	MaxCPUSeconds    int64 `json:"maxCpuSeconds"` // 0: none
	MinFreeDiskBytes int64 `json:"minFreeDiskBytes"`
	MaxTmpBytes      int64 `json:"maxTmpBytes"`
}
