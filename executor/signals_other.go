//go:build !linux && !darwin

package executor

import "syscall"

func posixName(s syscall.Signal) string { return s.String() }
