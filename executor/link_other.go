//go:build !linux

package executor

import (
	"errors"
	"os"
)

func linkFile(*os.File, string) error { return errors.ErrUnsupported }
