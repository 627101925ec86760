package executor

import "syscall"

// signals: Windows has none that a program could handle. Both end every process of
// the command at once; Ctrl-C can be typed into a terminal.
var signals = map[string]syscall.Signal{"terminate": syscall.SIGTERM, "kill": syscall.SIGKILL}

func posixName(s syscall.Signal) string {
	switch s {
	case syscall.SIGTERM:
		return "SIGTERM"
	case syscall.SIGKILL:
		return "SIGKILL"
	}
	return s.String()
}
