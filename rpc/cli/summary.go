package cli

import (
	"fmt"
	"strings"
	"syscall"

	"github.com/pillion-sidecar/pillion/rpc"
)

// summary is the one line that says what was enforced and how it ended.
func summary(r rpc.ExecResult) string {
	parts := []string{confinement(r.Sandbox), ending(r), duration(r.DurationMs)}
	if n := max(len(r.Violations), r.ViolationsTotal); n > 0 {
		parts = append(parts, fmt.Sprintf("%d refused", n))
	}
	if len(r.Background) > 0 {
		parts = append(parts, "background: "+fates(r.Background))
	}
	return strings.Join(parts, " · ")
}

func confinement(s rpc.EffectiveSandbox) string {
	if s.Mode == "off" {
		return "NOT SANDBOXED (mode off)"
	}
	network := "network denied"
	switch s.NetworkMode {
	case "allow":
		network = "network allowed"
	case "proxy":
		network = "network by address book"
	}
	line := s.Mode + ", " + network + ", " + strings.Join(s.Backend, "+")
	if weak := weaknesses(s); weak != "" {
		line += ", NOT FULLY ENFORCED: " + weak
	}
	return line
}

// weaknesses names what was asked for and does not hold in full. An allowed
// network and a best-effort ipc are no promises.
func weaknesses(s rpc.EffectiveSandbox) string {
	var weak []string
	for _, g := range []struct{ name, level string }{
		{"writes", s.FSWrite}, {"reads", s.FSRead}, {"processes", s.ProcessTree}, {"network", s.Network},
	} {
		if g.level == "enforced" || g.name == "network" && s.NetworkMode == "allow" {
			continue
		}
		weak = append(weak, g.name+" "+g.level)
	}
	return strings.Join(weak, ", ")
}

func ending(r rpc.ExecResult) string {
	status := "no status"
	switch {
	case r.Signal != nil:
		status = "killed by " + *r.Signal
	case r.ExitCode != nil:
		status = fmt.Sprintf("exit %d", *r.ExitCode)
	}
	switch r.Reason {
	case "exited":
		return status
	case "timedOut":
		return "timed out (" + status + ")"
	default:
		return r.Reason + " (" + status + ")"
	}
}

func duration(ms int64) string {
	if ms < 1000 {
		return fmt.Sprintf("%d ms", ms)
	}
	return fmt.Sprintf("%.1f s", float64(ms)/1000)
}

// fates names processes, which choose their names themselves.
func fates(left []rpc.BackgroundProcess) string {
	var names []string
	for _, b := range left {
		names = append(names, fmt.Sprintf("%s %s", visible(b.Name), b.Fate))
	}
	return strings.Join(names, ", ")
}

// The exit codes that are pillion's own; all others are the command's.
const (
	codeNotStarted = 125 // as env, timeout and docker do
	codeCannotRun  = 126
	codeNotFound   = 127
	codeCancelled  = 130 // as a shell after Ctrl-C
)

// exitCode is what a shell would return: the command's code, or 128+n for
// signal n. There is no magic 124: a command that timed out has the code of the
// signal it died of. Only success is never reported for a command that was
// stopped: one that handles SIGTERM by exiting 0 has not done its work.
func exitCode(r rpc.ExecResult) int {
	code := 1
	switch {
	case r.Cancelled:
		return codeCancelled
	case r.Signal != nil:
		code = 128 + signals[*r.Signal]
	case r.ExitCode != nil:
		code = *r.ExitCode
	}
	if r.Reason != "exited" && code == 0 {
		return 1
	}
	return code
}

// signals are those that every platform's syscall package names, and the few
// with one number wherever commands run.
var signals = map[string]int{
	"SIGHUP": int(syscall.SIGHUP), "SIGINT": int(syscall.SIGINT), "SIGQUIT": int(syscall.SIGQUIT),
	"SIGILL": int(syscall.SIGILL), "SIGTRAP": int(syscall.SIGTRAP), "SIGABRT": int(syscall.SIGABRT),
	"SIGBUS": int(syscall.SIGBUS), "SIGFPE": int(syscall.SIGFPE), "SIGKILL": int(syscall.SIGKILL),
	"SIGSEGV": int(syscall.SIGSEGV), "SIGPIPE": int(syscall.SIGPIPE), "SIGALRM": int(syscall.SIGALRM),
	"SIGTERM": int(syscall.SIGTERM), "SIGXCPU": 24, "SIGXFSZ": 25, "SIGUSR1": 10, "SIGUSR2": 12, "SIGSYS": 31,
}
