package config

import (
	"github.com/pillion-sidecar/pillion/guard"
	"github.com/pillion-sidecar/pillion/sandbox"
)

// InitOptions are the initializationOptions of initialize, as docs/protocol.md
// names them (protocolVersion is rpc's own). rpc decodes them strictly; zero
// values mean "not said".
type InitOptions struct {
	Profile      string          `json:"profile,omitzero"` // one of guard.ProfileNames
	Policy       PolicyOptions   `json:"policy,omitzero"`
	Sandbox      SandboxOptions  `json:"sandbox,omitzero"`
	Limits       LimitOptions    `json:"limits,omitzero"`
	Shutdown     ShutdownOptions `json:"shutdown,omitzero"`
	Approvals    ApprovalOptions `json:"approvals,omitzero"`
	OnBackground OnBackground    `json:"onBackground,omitzero"` // of commands in named sandboxes that don't say
}

// OnBackground says whether processes that outlive their command are killed.
type OnBackground string

// Only a sandbox with a name can leave any.
const (
	Kill  OnBackground = "kill"
	Leave OnBackground = "leave"
)

// PolicyOptions are the keys of a policy file, and of initializationOptions.policy.
// The names of members that loosen say what they give up. docs/policy.md explains
// every key; the comments here become the schema's descriptions.
type PolicyOptions struct {
	// The profile that the other keys build on. Not in a workspace file.
	Profile string `json:"profile,omitzero"`

	// Grant: commands may ask for sandbox.mode "off". Not in a workspace file.
	AllowOff bool `json:"allowOff,omitzero"`
	// Grant: commands may ask for sandbox.network "allow". Not in a workspace file.
	AllowNetwork bool `json:"allowNetwork,omitzero"`
	// Grant: commands may ask for sandbox.reads "all". Not in a workspace file.
	AllowReadsAll bool `json:"allowReadsAll,omitzero"`
	// Grant: commands may run without a timeout. Not in a workspace file.
	AllowNoTimeout bool `json:"allowNoTimeout,omitzero"`
	// Grant: commands may inherit the whole environment. Not in a workspace file.
	AllowEnvAll bool `json:"allowEnvAll,omitzero"`
	// Grant: commands may ask for sandbox.mode "workspace-write" where the default is
	// "read-only". Not in a workspace file.
	AllowWrite bool `json:"allowWrite,omitzero"`
	// Grant: settings that come while a session runs may loosen it. Not in a workspace file.
	Loosen bool `json:"loosen,omitzero"`
	// Folders that may be a workspace although they would be refused as one, such as the
	// home directory. Not in a workspace file.
	AllowRoots []string `json:"allowRoots,omitzero"`
	// Absolute paths that every command may read. Not in a workspace file.
	Readable []string `json:"readable,omitzero"`
	// Absolute directories that a command may ask to write in. Not in a workspace file.
	Writable []string `json:"writable,omitzero"`

	// Absolute directories that come first in the PATH of commands, which may read them.
	// Not in a workspace file.
	Path []string `json:"path,omitzero"`
	// Variables that every command gets. Not in a workspace file.
	Env map[string]string `json:"env,omitzero"`

	// Absolute directories that commands may name besides the workspace; "..." stands for
	// the ones so far. A workspace file can only narrow them.
	Roots []string `json:"roots,omitzero"`
	// Directories whose programs may be run by path, absolute or below "~/"; "..." stands
	// for the ones so far. A workspace file can only narrow them.
	Programs []string `json:"programs,omitzero"`
	// Keep commands in the workspace, in profiles where they may leave it. A workspace
	// file can only set it to true.
	RestrictToWorkspace *bool `json:"restrictToWorkspace,omitzero"`
	// Regular expressions (RE2). A command that none of them matches is denied. Those of a
	// workspace file must match as well as the user's.
	AllowPatterns []string `json:"allowPatterns,omitzero"`

	// Decisions of built-in rules, by rule id or family ("git/*"). A workspace file can
	// only make them stricter.
	Rules map[string]guard.Decision `json:"rules,omitzero"`
	// Rules of your own, on top of the built-in ones.
	Rule []RuleOptions `json:"rule,omitzero"`

	// The hosts that commands may reach where the network is "proxy", and the host's
	// sockets. A workspace file can only narrow them.
	Network NetworkOptions `json:"network,omitzero"`
	// The keys of your ssh agent that commands may use. Not in a workspace file.
	SSH SSHOptions `json:"ssh,omitzero"`
	// Defaults of every command's sandbox. Those of a workspace file can't be undone by a request.
	Sandbox SandboxOptions `json:"sandbox,omitzero"`
	// Limits. A workspace file can only lower them.
	Limits LimitOptions `json:"limits,omitzero"`
	// How commands are run. Not in a workspace file.
	Shell ShellOptions `json:"shell,omitzero"`
	// The log of what was run and refused. Not in a workspace file.
	Audit AuditOptions `json:"audit,omitzero"`
	// What commands change can be undone. Not in a workspace file.
	Undo UndoOptions `json:"undo,omitzero"`

	// What you said yes to for good; pillion writes these rows. Not in a workspace file.
	Grant []GrantOptions `json:"grant,omitzero"`
}

// RuleOptions are one rule of a policy file.
type RuleOptions struct {
	// Names the rule in verdicts: 1 to 64 of a-z, 0-9, ., _, / and -.
	ID string `json:"id,omitzero"`
	// What happens to a command that the rule finds.
	Decision guard.Decision `json:"decision,omitzero"`
	// The program's name without a directory, then its first words; an element that is a
	// list names alternatives.
	Prefix []any `json:"prefix,omitzero"`
	// Words that must all be among the arguments; an element that is a list names alternatives.
	Contains []any `json:"contains,omitzero"`
	// What the command does, in one sentence; {what} is the command. Not in a workspace file.
	Message string `json:"message,omitzero"`
	// The harm, in one sentence. Not in a workspace file.
	Why string `json:"why,omitzero"`
	// What to do instead. Not in a workspace file.
	Safer string `json:"safer,omitzero"`
	// Commands that the rule must find. They are judged when the file is loaded.
	Match []string `json:"match,omitzero"`
	// Commands that only look alike and must not be found.
	NotMatch []string `json:"not_match,omitzero" toml:"not_match"`
}

// GrantOptions are one thing that a person has said yes to for good: exactly one of
// host, read, write, command and argv.
type GrantOptions struct {
	// A host that commands may connect to, as in network.allow.
	Host string `json:"host,omitzero"`
	// An absolute path that commands may read.
	Read string `json:"read,omitzero"`
	// An absolute directory that commands may write in.
	Write string `json:"write,omitzero"`
	// Fingerprints of ssh keys that git signs with, after "host:port " instead those that log in there.
	Key string `json:"key,omitzero"`
	// A host at which git logs in as your own does, as in network.credentials.
	Credentials string `json:"credentials,omitzero"`
	// The text of a command that is not asked about.
	Command string `json:"command,omitzero"`
	// The same for a program with its arguments.
	Argv []string `json:"argv,omitzero"`
	// The rules that the command was asked about; what another one finds is asked about.
	Rules []string `json:"rules,omitzero"`
	// The folder that the command runs in, or below.
	Folder string `json:"folder,omitzero"`
	// The sandbox.mode that the command was asked about with.
	Mode sandbox.Mode `json:"mode,omitzero"`
	// The sandbox.network that the command was asked about with.
	Network sandbox.Network `json:"network,omitzero"`
	// When, for you.
	Given string `json:"given,omitzero"`
}

// SandboxOptions are the defaults of every request's sandbox.
type SandboxOptions struct {
	// What a command may write.
	Mode sandbox.Mode `json:"mode,omitzero"`
	// What a command may reach.
	Network sandbox.Network `json:"network,omitzero"`
	// What a command may read.
	Reads sandbox.Reads `json:"reads,omitzero"`
	// What happens where the sandbox can't be enforced in full.
	Require sandbox.Require `json:"require,omitzero"`
}

// NetworkOptions are the address book of sandbox.network "proxy".
type NetworkOptions struct {
	// Hosts that commands may connect to: "name", "*.name" for what lies below it, an IP
	// address or CIDR, with ":port" or ":*" after it, else 80 and 443. A workspace file
	// can only leave some out.
	Allow []string `json:"allow,omitzero"`
	// Hosts that they may not connect to, whatever is allowed or accepted.
	Deny []string `json:"deny,omitzero"`
	// UNIX sockets outside of the sandbox that commands may connect to, unless their
	// network is "deny": absolute paths, or "$NAME" for the one that this variable names.
	// A workspace file can only leave some out.
	Sockets []string `json:"sockets,omitzero"`
	// Ports of this machine's loopback that commands reach as host.pillion:PORT, unless
	// their network is "deny". A workspace file can only leave some out.
	Ports []int `json:"ports,omitzero"`
	// Hosts at which the git of commands is logged in over HTTPS, as your git's credential
	// helpers say, to fetch and to push: "name" or "name:port". A workspace file can only
	// leave some out.
	Credentials []string `json:"credentials,omitzero"`
}

// SSHOptions are what commands may do with the keys of the user's ssh agent: without keys
// nothing.
type SSHOptions struct {
	// Keys of the agent: fingerprints as "ssh-add -l" shows them ("SHA256:..."), or paths
	// of public keys (absolute or below "~/", ending in ".pub").
	Keys []string `json:"keys,omitzero"`
	// Hosts that the keys authenticate to: names that your known_hosts has, with ":port"
	// or without.
	Hosts []string `json:"hosts,omitzero"`
	// The keys make git's signatures.
	Sign bool `json:"sign,omitzero"`
}

// LimitOptions change limits, and initialize reports the result. How many
// commands run and wait, what is kept of their output, their default timeout and
// what one may take of the machine may also be raised, up to a ceiling; the rest
// only lowered. Sizes are bytes.
type LimitOptions struct {
	// Bytes of a command's text; can only be lowered.
	MaxCommandBytes int `json:"maxCommandBytes,omitzero"`
	// Commands that run at once, up to 1024.
	MaxConcurrent int `json:"maxConcurrent,omitzero"`
	// Commands that wait, up to 4096.
	MaxQueued int `json:"maxQueued,omitzero"`
	// Bytes of one piece of output; can only be lowered.
	MaxChunkBytes int `json:"maxChunkBytes,omitzero"`
	// Bytes of each stream that are sent.
	StreamMaxBytes int64 `json:"streamMaxBytes,omitzero"`
	// Bytes of each stream that are kept.
	SpoolMaxBytes int64 `json:"spoolMaxBytes,omitzero"`
	// Bytes kept of all commands together; finished ones make room for running ones.
	SpoolTotalBytes int64 `json:"spoolTotalBytes,omitzero"`
	// Milliseconds for which the output of a finished command can be read, up to a day; 0
	// keeps none.
	RetentionMs *int64 `json:"retentionMs,omitzero"`
	// Finished commands whose output can be read, up to 1024; 0 keeps none.
	RetainedExecs *int `json:"retainedExecs,omitzero"`
	// Bytes of each stream in a result; can only be lowered.
	InlineMaxBytes int `json:"inlineMaxBytes,omitzero"`
	// Milliseconds after which a command that names no timeout of its own is ended, up to a day.
	TimeoutMs int64 `json:"timeoutMs,omitzero"`
	// Milliseconds after which a command is ended that waits for input and gets none, up
	// to a day. Linux.
	InputWaitMs int64 `json:"inputWaitMs,omitzero"`

	// Processes and threads that a command may have at once.
	MaxProcesses int `json:"maxProcesses,omitzero"`
	// Bytes of memory that a command and everything it starts may take.
	MaxMemoryBytes int64 `json:"maxMemoryBytes,omitzero"`
	// Bytes of each file that a command writes.
	MaxFileBytes int64 `json:"maxFileBytes,omitzero"`
	// Files that each process may have open.
	MaxOpenFiles int `json:"maxOpenFiles,omitzero"`
	// Seconds of CPU time that a command and everything it starts may take.
	MaxCPUSeconds int64 `json:"maxCpuSeconds,omitzero"`
	// Bytes that stay free on the disks that commands write on or their output is kept on;
	// a workspace file can only raise it.
	MinFreeDiskBytes int64 `json:"minFreeDiskBytes,omitzero"`
	// Bytes of temporary files that a sandbox keeps in memory.
	MaxTmpBytes int64 `json:"maxTmpBytes,omitzero"`
}

// ShellOptions say how commands are run.
type ShellOptions struct {
	// false: commands run without a sandbox, and none without the grant allowOff. Not in a
	// workspace file.
	Sandbox *bool `json:"sandbox,omitzero"`
}

// UndoOptions are about what commands change, which docs/undo.md describes.
type UndoOptions struct {
	// false: nothing of it is kept, and nothing can be undone; true is the default. Not in
	// a workspace file.
	Enabled *bool `json:"enabled,omitzero"`
}

// AuditOptions are about the audit log, which docs/audit.md describes.
type AuditOptions struct {
	// false: nothing is written to it; true is the default. Not in a workspace file.
	Enabled *bool `json:"enabled,omitzero"`
}

// ShutdownOptions say how a session ends.
type ShutdownOptions struct {
	GraceMs int64 `json:"graceMs,omitzero"` // between SIGTERM and SIGKILL
}
