//go:build !linux

package needs

import "os"

// TempDir is os.MkdirTemp.
func TempDir(pattern string) (string, error) { return os.MkdirTemp("", pattern) }
