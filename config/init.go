package config

import "github.com/pillion-sidecar/pillion/sandbox"

// InitOptions are the initializationOptions of initialize, as docs/protocol.md
// names them (protocolVersion is rpc's own). rpc decodes them strictly; zero
// values mean "not said".
type InitOptions struct {
	Profile      string          `json:"profile,omitzero"` // one of guard.ProfileNames
	Policy       PolicyOptions   `json:"policy,omitzero"`
	Sandbox      SandboxOptions  `json:"sandbox,omitzero"`
	Limits       LimitOptions    `json:"limits,omitzero"`
	Shutdown     ShutdownOptions `json:"shutdown,omitzero"`
	OnBackground string          `json:"onBackground,omitzero"` // "kill"
}

// PolicyOptions are the only members that loosen. Each names what it gives up.
type PolicyOptions struct {
	AllowOff       bool     `json:"allowOff,omitzero"`       // sandbox.mode "off"
	AllowNetwork   bool     `json:"allowNetwork,omitzero"`   // sandbox.network "allow"
	AllowReadsAll  bool     `json:"allowReadsAll,omitzero"`  // sandbox.reads "all"
	AllowNoTimeout bool     `json:"allowNoTimeout,omitzero"` // timeoutMs null
	AllowEnvAll    bool     `json:"allowEnvAll,omitzero"`    // envInherit "all"
	AllowWrite     bool     `json:"allowWrite,omitzero"`     // sandbox.mode "workspace-write" over "read-only"
	AllowRoots     []string `json:"allowRoots,omitzero"`     // refusable folders that may be a workspace
	Readable       []string `json:"readable,omitzero"`       // absolute paths every command may read
	Writable       []string `json:"writable,omitzero"`       // absolute directories a request may ask to write
}

// SandboxOptions are the defaults of every request's sandbox.
type SandboxOptions struct {
	Mode    sandbox.Mode    `json:"mode,omitzero"`
	Network sandbox.Network `json:"network,omitzero"`
	Reads   sandbox.Reads   `json:"reads,omitzero"`
	Require sandbox.Require `json:"require,omitzero"`
}

// LimitOptions change limits, and initialize reports the result. How many
// commands run and wait, what is kept of their output and their default timeout
// may also be raised, up to a ceiling; the rest only lowered. Sizes are bytes.
type LimitOptions struct {
	MaxCommandBytes int   `json:"maxCommandBytes,omitzero"`
	MaxConcurrent   int   `json:"maxConcurrent,omitzero"`
	MaxQueued       int   `json:"maxQueued,omitzero"`
	MaxChunkBytes   int   `json:"maxChunkBytes,omitzero"`
	StreamMaxBytes  int64 `json:"streamMaxBytes,omitzero"`
	SpoolMaxBytes   int64 `json:"spoolMaxBytes,omitzero"`
	SpoolTotalBytes int64 `json:"spoolTotalBytes,omitzero"`
	InlineMaxBytes  int   `json:"inlineMaxBytes,omitzero"`
	TimeoutMs       int64 `json:"timeoutMs,omitzero"` // default timeout of a command
}

// ShutdownOptions say how a session ends.
type ShutdownOptions struct {
	GraceMs int64 `json:"graceMs,omitzero"` // between SIGTERM and SIGKILL
}
