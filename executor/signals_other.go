//go:build !linux && !darwin && !windows

package executor

import "syscall"

func posixName(s syscall.Signal) string { return s.String() }
