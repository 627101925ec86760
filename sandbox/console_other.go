//go:build !windows

package sandbox

// Console is what Windows has for a pseudo-terminal. Here a terminal is a file.
type Console struct{}

// Close does nothing.
func (*Console) Close() {}
