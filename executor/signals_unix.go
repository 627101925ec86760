//go:build unix

package executor

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// signals are those of signal(7) that mean something to a command.
var signals = map[string]syscall.Signal{
	"interrupt": syscall.SIGINT, "terminate": syscall.SIGTERM, "kill": syscall.SIGKILL, "hangup": syscall.SIGHUP,
	"quit": syscall.SIGQUIT, "usr1": syscall.SIGUSR1, "usr2": syscall.SIGUSR2,
}

func posixName(s syscall.Signal) string { return unix.SignalName(s) }
