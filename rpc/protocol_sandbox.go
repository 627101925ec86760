package rpc

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

// Enforcement is how far each guarantee holds: "enforced", "partial" or "none".
type Enforcement struct {
	Available        bool     `json:"available"`
	Backend          []string `json:"backend"`
	FSWrite          string   `json:"fsWrite"`
	FSRead           string   `json:"fsRead"`
	Network          string   `json:"network"`
	ProcessTree      string   `json:"processTree"`
	IPC              string   `json:"ipc"`
	ViolationReports bool     `json:"violationReports"`
	Residual         []string `json:"residual"` // what is still possible
}

// EffectiveSandbox is what was in force for one command.
type EffectiveSandbox struct {
	Enforcement
	Mode        string       `json:"mode"`
	Requested   string       `json:"requested"`
	NetworkMode string       `json:"networkMode"` // "deny", "proxy", "allow"
	Roots       SandboxRoots `json:"roots"`
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
	Mode       string           `json:"mode"`
	Network    string           `json:"network"`
	Processes  []SandboxProcess `json:"processes"` // left on purpose by commands that have ended
}

// SandboxProcess was left running by a command.
type SandboxProcess struct {
	PID     int    `json:"pid"`     // 0 where it can't be told
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
