package policy

// BackendPidMax is the kernel's own count of a pid namespace's processes,
// BackendGroup its count of all that a control group takes.
const (
	BackendPidMax = "pid_max"
	BackendGroup  = "cgroup"
)

// BackendSeatbelt is the sandbox of macOS' kernel.
const BackendSeatbelt = "seatbelt"

// These name the mechanisms of Windows in reports.
const (
	BackendJob   = "job"
	BackendToken = "restricted-token"
	BackendLow   = "low-integrity"
	BackendUI    = "ui-limits"
)
