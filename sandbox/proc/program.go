package proc

import (
	"os"
	"path/filepath"
)

// OwnProgram is where this program really is.
func OwnProgram() (string, error) {
	exe, err := os.Executable()
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(exe)
}
