package sandbox

import (
	"os"
	"path/filepath"
)

// layHome writes the files that a private home begins with. No command has been
// there yet, so no link can lead it astray.
func layHome(home string, files []HomeFile) error {
	for _, f := range files {
		path := filepath.Join(home, filepath.FromSlash(f.Path))
		err := os.MkdirAll(filepath.Dir(path), 0o700)
		switch {
		case err != nil:
		case f.Link != "":
			err = layLink(f.Link, path)
		default:
			err = os.WriteFile(path, []byte(f.Text), 0o600)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
