package cli

import (
	"syscall"

	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

// The exit codes that are pillion's own; all others are the command's.
const (
	codeNotStarted = 125 // as env, timeout and docker do
	codeCannotRun  = 126
	codeNotFound   = 127
	codeCancelled  = 130 // as a shell after Ctrl-C
)

// exitCode is what a shell would return: the command's code, or 128+n for signal n. It is
// never 124: a command that timed out has the code of the signal it died of. Only success
// is never reported for a command that was stopped: one that handles SIGTERM by exiting 0
// has not done its work.
func exitCode(r protocol.ExecResult) int {
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
