package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// dirAttempts bounds how often Dir resolves anew when a component was swapped
// between resolving and opening. An attacker who swaps in a loop gets ErrChanged.
const dirAttempts = 4

// errSwapped is what a primitive answers when a component that should be a directory
// turned out to be a symlink, or the path to leave the folder.
var errSwapped = errors.New("a component of the path is no longer what it was")

// Dir opens a working directory. An empty cwd is the first folder; a relative
// one is looked for in each folder in turn, the first that has it wins. Symlinks
// are followed, but the directory must then be inside a folder, else the answer
// is *OutsideError. The file's Name is the resolved absolute path, and the
// handle is that very directory even if the name is swapped meanwhile; the
// caller closes it.
func (s *Set) Dir(cwd string) (*os.File, error) {
	for range dirAttempts {
		dir, err := s.dir(cwd)
		if !errors.Is(err, errSwapped) {
			return dir, err
		}
	}
	return nil, fmt.Errorf("working directory %q: %w", cwd, ErrChanged)
}

func (s *Set) dir(cwd string) (*os.File, error) {
	resolved, at, err := s.locate(cwd)
	if err != nil {
		return nil, err
	}
	f := s.folders[at]
	if err := f.current(); err != nil {
		return nil, err
	}
	rel, _ := below(f.path, resolved)
	dir, err := f.root.openDir(rel, resolved)
	if err != nil && !errors.Is(err, errSwapped) {
		return nil, fmt.Errorf("working directory %q: %w", cwd, err)
	}
	return dir, err
}

// locate says where cwd leads and which folder holds it.
func (s *Set) locate(cwd string) (resolved string, folder int, err error) {
	outside := &OutsideError{Path: cwd, Folders: s.Folders()}
	if len(s.folders) == 0 {
		return "", 0, outside
	}
	bases := s.names
	if filepath.IsAbs(cwd) {
		bases = []string{""}
	}
	err = fs.ErrNotExist
	inside := false
	for _, base := range bases {
		resolved, exists, rerr := resolve(base + string(filepath.Separator) + cwd)
		if rerr != nil {
			err, inside = rerr, true
			continue
		}
		at := containing(s.names, resolved)
		if at >= 0 && exists {
			return resolved, at, nil
		}
		// Inside wins over outside: "no such directory" is the better answer, and it
		// doesn't reveal files that are not the client's.
		if at >= 0 {
			inside = true
		} else if outside.Resolved == "" {
			outside.Resolved = resolved
		}
	}
	if inside {
		return "", 0, fmt.Errorf("working directory %q: %w", cwd, err)
	}
	return "", 0, outside
}

// current checks that the folder's path still names the directory that was
// opened; a handle alone would keep a removed one usable.
func (f *folder) current() error {
	if same, err := f.root.is(f.path); err == nil && same {
		return nil
	}
	return fmt.Errorf("workspace folder %s: %w", f.path, ErrChanged)
}
