//go:build unix

package executor

import "os"

// namedThenUnlinked is an unlinked file for systems and file systems without
// O_TMPFILE.
func namedThenUnlinked(dir string) (*os.File, error) {
	f, err := os.CreateTemp(dir, "spool-")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(f.Name()); err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}
