package executor

import "syscall"

// signals: Windows has none; a process can be ended.
var signals = map[string]syscall.Signal{"kill": syscall.SIGKILL}
