//go:build !windows

package sandbox

// console is empty: a terminal is a file here.
type console struct{}
