//go:build !linux

package executor

func driver() (code int, ok bool) { return 0, false }
