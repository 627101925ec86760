//go:build unix

package connect

import (
	"os/exec"
	"syscall"
)

// together ends an agent with what it has started: several are a script around a program,
// which would go on without it.
func together(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
}
