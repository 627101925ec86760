package config

import (
	"os"
	"runtime"
	"slices"
	"time"

	"github.com/pillion-sidecar/pillion/executor"
	"github.com/pillion-sidecar/pillion/executor/caches"
	"github.com/pillion-sidecar/pillion/executor/gocache"
	"github.com/pillion-sidecar/pillion/executor/keys"
	"github.com/pillion-sidecar/pillion/guard"
	"github.com/pillion-sidecar/pillion/sandbox"
	"github.com/pillion-sidecar/pillion/sandbox/egress"
)

// Config is everything a session runs with. It is a value: With returns a
// changed copy, so a running command keeps the Config it was admitted under.
type Config struct {
	Guard   guard.Policy
	Sandbox sandbox.Policy // what a request leaves open; Readable holds the toolchains
	Limits  executor.Limits
	Grants  executor.Grants
	Summary executor.Summary // of the profile; 0: not set
	Leave   bool             // commands in named sandboxes leave their processes unless they say otherwise
	Bounds  executor.Bounds  // what the workspace's files leave to a request

	Remembered []executor.Remembered // commands that are not asked about any more

	// NetworkImplied says that Sandbox.Network is "proxy" because hosts are listed.
	// Where that can't be had it is "deny".
	NetworkImplied bool
	networkChosen  bool // named in the policy
	asks           bool // a person can be asked about hosts

	// RootGrants are folders that may be a workspace although they would be
	// refused as one (the home, a parent of it, …).
	RootGrants []string

	Hosts   egress.Rules // where Sandbox.Network is "proxy"
	Sockets []string     // of the host, as the policy spells them; HostSockets finds them

	SSH keys.Rules // which keys of the user's agent commands use, and for what

	Home     string            // the user's home; commands get a private one
	SpoolDir string            // private, exists, for unlinked output files
	StateDir string            // for what outlives a session; may not exist
	Env      map[string]string // where the user's toolchains are
	named    map[string]string // by which path each directory of a toolchain was found
	OwnEnv   map[string]string // what the user's policy sets for every command
	Path     []string          // what the user's policy puts in front of PATH

	Undo  bool // what commands change is kept in JournalDir
	Audit bool // what is run and refused is written to AuditDir

	ShutdownGrace time.Duration // between SIGTERM and SIGKILL at shutdown

	ApprovalTimeout time.Duration // a person who has not answered by then has declined
	AskByMessage    bool          // clients without exec/requestApproval are asked by window/showMessageRequest

	Loosen bool // Change may loosen what With set

	PolicyFile string        // the user's, whether it exists or not
	user       PolicyOptions // what it says, for another profile to start from
}

// Default is the user's Config: what the environment says, and over it the
// user's policy file if there is one. Its errors name the variable, directory or
// line that is wrong and what to do about it.
func Default() (Config, error) {
	c, err := Builtin()
	if err != nil {
		return Config{}, err
	}
	return c.LoadUser()
}

// Builtin is the Config of a user without a policy file, read from the
// environment. It creates the spool directory.
func Builtin() (Config, error) {
	home, err := homeDir(os.Getenv)
	if err != nil {
		return Config{}, err
	}
	spool, err := spoolDir(os.Getenv, home)
	if err != nil {
		return Config{}, err
	}
	c := fixed()
	c.Sandbox.Readable, c.Sandbox.HomeFiles, c.Env, c.named = toolchains(os.Getenv, home)
	// A go command in the sandbox runs it to read the user's builds.
	if program := gocache.Program(); program != "" && c.Env[caches.GoBuilds] != "" {
		c.Sandbox.Readable = append(c.Sandbox.Readable, program)
	}
	c.Sandbox.HomeFiles = slices.Concat(c.Sandbox.HomeFiles, gitFiles(os.Getenv, home), ccacheFiles(os.Getenv, home))
	c.Home, c.SpoolDir, c.StateDir = home, spool, stateDir(os.Getenv, home)
	c.PolicyFile = policyFile(os.Getenv, home, runtime.GOOS)
	return c, nil
}

// fixed is what no environment changes.
func fixed() Config {
	return Config{
		Guard: guard.DefaultPolicy(),
		Sandbox: sandbox.Policy{
			Mode:    sandbox.WorkspaceWrite,
			Network: sandbox.NetworkDeny,
			Reads:   sandbox.ReadsPrivate,
			Require: sandbox.RequireEnforced,
			Limits:  sandbox.DefaultLimits(),
		},
		Limits:        DefaultLimits(),
		Undo:          true,
		Audit:         true,
		ShutdownGrace: shutdownGrace,

		ApprovalTimeout: 5 * time.Minute,
	}
}

// shutdownGrace is half of what vscode-languageclient waits before it kills the
// server together with the answers it still owes.
const shutdownGrace = time.Second

// DefaultLimits are the limits of docs/protocol.md.
func DefaultLimits() executor.Limits {
	const kib, mib = 1 << 10, 1 << 20
	return executor.Limits{
		// One argument of execve ends at 131,072 bytes on Linux; half of that
		// leaves room for what quoting adds.
		MaxCommandBytes: 64 * kib,
		MaxConcurrent:   16,
		MaxQueued:       256,
		MaxChunkBytes:   64 * kib, // larger chunks were not faster for a Node client
		StreamMaxBytes:  8 * mib,
		SpoolMaxBytes:   256 * mib,
		SpoolTailBytes:  1 * mib,
		SpoolTotalBytes: 1024 * mib,
		Retention:       10 * time.Minute,
		RetainedExecs:   64,              // each holds two files open
		MaxSaved:        64,              // likewise
		CacheTotalBytes: 10 * 1024 * mib, // a large Go or Rust project takes one to three
		InlineMaxBytes:  64 * kib,
		DefaultTimeout:  120 * time.Second,
		KillGrace:       2 * time.Second,
		DrainIdle:       250 * time.Millisecond,
		DrainMax:        2 * time.Second,
		AckWait:         2 * time.Minute, // a client that is looked at in a debugger is not slow

		MaxPendingApprovals: 32, // more questions than a person will read
	}
}
