//go:build linux || darwin

package executor

import (
	"syscall"

	"golang.org/x/sys/unix"
)

func posixName(s syscall.Signal) string { return unix.SignalName(s) }
