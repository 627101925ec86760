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
	NetworkMode string       `json:"networkMode"` // "deny", "allow"
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
