package config

import (
	"time"

	"github.com/pillion-sidecar/pillion/executor"
	"github.com/pillion-sidecar/pillion/guard"
	"github.com/pillion-sidecar/pillion/sandbox"
)

// Profile is everything a profile decides besides the guard's policy of the same
// name.
type Profile struct {
	Mode    sandbox.Mode
	Network sandbox.Network // "" is "allow" where policy.allowNetwork grants it, else "deny"
	Reads   sandbox.Reads
	Rung    string // the least rung of the sandbox, "" for any that enforces the rest
	Timeout time.Duration
	Summary executor.Summary
}

// profiles is the whole table. To choose a profile is to grant what is in its row: only
// the user's own policy and the editor's initialize get here, never a file of the
// workspace.
var profiles = map[string]Profile{
	"balanced": {
		Mode: sandbox.WorkspaceWrite, Network: sandbox.NetworkDeny, Reads: sandbox.ReadsPrivate, Timeout: 120 * time.Second,
	},
	"denylist": {
		Mode: sandbox.WorkspaceWrite, Network: sandbox.NetworkAllow, Reads: sandbox.ReadsAll, Timeout: 60 * time.Second,
		Summary: executor.Summary{Form: executor.SummaryDenylist, MaxChars: 10_000, Keep: "head"},
	},
	"isolated": {
		Mode: sandbox.WorkspaceWrite, Network: sandbox.NetworkDeny, Reads: sandbox.ReadsPrivate, Timeout: 30 * time.Second,
		Rung: sandbox.RungFull,
	},
	"readonly": {
		Mode: sandbox.ReadOnly, Reads: sandbox.ReadsAll, Timeout: 30 * time.Second,
		Summary: executor.Summary{Form: executor.SummaryPlain},
	},
	"layered": {
		Mode: sandbox.WorkspaceWrite, Network: sandbox.NetworkAllow, Reads: sandbox.ReadsAll, Timeout: 120 * time.Second,
		Summary: executor.Summary{Form: executor.SummaryLayered, MaxChars: 50_000, Keep: "headTail"},
	},
	"inspect": {
		Mode: sandbox.ReadOnly, Network: sandbox.NetworkDeny, Reads: sandbox.ReadsAll, Timeout: 900 * time.Second,
	},
}

// profile makes name the profile of c; "" keeps what c has. An allow list and a
// closed policy stay: they restrict, whatever the profile.
func (c *Config) profile(name string) error {
	if name == "" {
		return nil
	}
	policy, ok := guard.Profile(name)
	p, known := profiles[name]
	if !ok || !known {
		return oneOf("/profile", name, append([]string{""}, guard.ProfileNames()...)...)
	}
	if c.Guard.ID == name {
		policy = c.Guard // with what was configured on top of it
	}
	policy.AllowPatterns, policy.Closed = c.Guard.AllowPatterns, c.Guard.Closed
	policy, err := policy.Compiled()
	if err != nil {
		return bad("/policy/allowPatterns", "regular expressions (RE2)", quoted(err.Error()))
	}
	c.Guard = policy
	c.Sandbox.Mode, c.Sandbox.Network, c.Sandbox.Reads, c.Sandbox.Rung = p.Mode, p.Network, p.Reads, p.Rung
	if p.Network == "" {
		c.Sandbox.Network = sandbox.NetworkDeny
	}
	c.networkChosen, c.NetworkImplied = false, false
	c.Limits.DefaultTimeout, c.Summary = p.Timeout, p.Summary
	return nil
}

// settle does what depends on the profile and on grants that came after it.
func (c *Config) settle(said SandboxOptions) {
	if p, ok := profiles[c.Guard.ID]; ok && p.Network == "" && said.Network == "" && c.Grants.Network {
		c.Sandbox.Network = sandbox.NetworkAllow
	}
}

// closeUnboxed runs nothing where the profile "readonly" has lost its sandbox.
func (c *Config) closeUnboxed() {
	// The profile reads without asking because its sandbox keeps it from
	// writing; without the sandbox every command could write.
	if c.Guard.ID == "readonly" && c.Sandbox.Mode == sandbox.Off && !c.Grants.Write {
		c.Guard.Closed = guard.ClosedByReadMode
	}
}
