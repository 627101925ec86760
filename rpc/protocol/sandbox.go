package protocol

import (
	"github.com/pillion-sidecar/pillion/sandbox"
)

// SandboxReport is the self-tested description of what this machine enforces.
type SandboxReport struct {
	Platform  string                 `json:"platform"` // GOOS/GOARCH
	Kernel    string                 `json:"kernel,omitzero"`
	Rung      string                 `json:"rung"`
	ProbedAt  string                 `json:"probedAt"` // RFC 3339
	Container bool                   `json:"container"`
	Modes     map[string]Enforcement `json:"modes"`
	Degraded  []MissingFeature       `json:"degraded"`
}

// Enforcement is how far each guarantee holds.
type Enforcement struct {
	Available        bool          `json:"available"`
	Backend          []string      `json:"backend"`
	FSWrite          sandbox.Level `json:"fsWrite"`
	FSRead           sandbox.Level `json:"fsRead"`
	Network          sandbox.Level `json:"network"`
	ProcessTree      sandbox.Level `json:"processTree"`
	IPC              sandbox.Level `json:"ipc"`
	ViolationReports bool          `json:"violationReports"`
	Residual         []string      `json:"residual"` // what is still possible
}

// EffectiveSandbox is what was in force for one command.
type EffectiveSandbox struct {
	Enforcement
	Mode        sandbox.Mode    `json:"mode"`
	Requested   sandbox.Mode    `json:"requested"`
	NetworkMode sandbox.Network `json:"networkMode"`
	Roots       SandboxRoots    `json:"roots"`
	Text        string          `json:"text"`           // for a person: "workspace-write, network denied"
	Weak        []string        `json:"weak,omitempty"` // what was asked for and does not hold in full: "reads partial"
}

// SandboxRoots are the directories a command may write in.
type SandboxRoots struct {
	Writable []string `json:"writable"`
}

// MissingFeature is a guarantee that can't be had here.
type MissingFeature struct {
	Feature string `json:"feature"`
	Reason  string `json:"reason"`
	Hint    string `json:"hint,omitzero"`
}

// SandboxListParams of sandbox/list.
//
//wire:strict
type SandboxListParams struct{}

// SandboxListResult of sandbox/list, by name.
type SandboxListResult struct {
	Sandboxes []SandboxInfo `json:"sandboxes"`
}

// SandboxInfo is one sandbox. There may be several of one name, each with a policy
// of its own.
type SandboxInfo struct {
	Name       string           `json:"name"`
	PolicyHash string           `json:"policyHash"`
	Mode       sandbox.Mode     `json:"mode"`
	Network    sandbox.Network  `json:"network"`
	Processes  []SandboxProcess `json:"processes"` // left on purpose by commands that have ended
}

// SandboxProcess was left running by a command.
type SandboxProcess struct {
	PID     int    `json:"pid"`     // 0 where it is not known
	Command string `json:"command"` // its command line, shortened in the middle
	ExecID  string `json:"execId"`
}

// SandboxResetParams of sandbox/reset.
//
//wire:strict
type SandboxResetParams struct {
	Name  string `json:"name"`
	Force bool   `json:"force,omitzero"` // cancel the commands that run in it
}

// SandboxResetResult of sandbox/reset.
type SandboxResetResult struct {
	Killed int `json:"killed"` // processes that commands had left
}
