//go:build !unix && !windows

package executor

import (
	"errors"
	"os"
)

// shareLock opens path, made if need be. No command runs here, so nobody else
// uses it.
func shareLock(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|os.O_CREATE, 0o600)
}

// soleLock never succeeds: nothing is removed where it can't be told whether
// somebody uses it.
func soleLock(string) (*os.File, error) { return nil, errors.ErrUnsupported }
