package workspace

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// Options are the facts Open needs to refuse folders that are too much.
type Options struct {
	Home   string   // the user's home; "" when there is none
	Own    []string // pillion's own directories and binary: policy, spool, state
	Grants []string // folders allowed although they would be refused; exact paths, not what lies below

	Path   []string                // where the user's shell looks for programs
	Sealed func(rel string) string // the protected name that a path below a project is, or is in; nil asks nothing
}

// Set is the folders of one workspace, resolved once. It does not change: when
// the editor adds or removes a folder, a new Set takes its place.
type Set struct {
	folders []*folder
	names   []string
	others  []string
}

// folder is one root. The handle pins the directory that was judged at Open, so
// a directory later put in its place is noticed rather than used.
type folder struct {
	path string // resolved, absolute
	root *root
}

// Open resolves the folders, which must be absolute paths of directories, and
// holds each one open. It answers *RefusedRootError for folders that commands
// must not own. A FIFO or device in place of a folder is an error and does not
// block. No folders make a Set that contains nothing.
func Open(folders []string, o Options) (*Set, error) {
	s := &Set{}
	for _, path := range folders {
		f, err := openFolder(path, o)
		if err != nil {
			return nil, errors.Join(err, s.Close())
		}
		if given := filepath.Clean(path); given != f.path && !slices.Contains(s.others, given) {
			s.others = append(s.others, given)
		}
		if slices.Contains(s.names, f.path) {
			err = f.root.close()
			if err != nil {
				return nil, errors.Join(err, s.Close())
			}
			continue
		}
		s.folders = append(s.folders, f)
		s.names = append(s.names, f.path)
	}
	return s, nil
}

func openFolder(path string, o Options) (*folder, error) {
	if !filepath.IsAbs(path) {
		return nil, fmt.Errorf("workspace folder %q is not an absolute path", path)
	}
	resolved, exists, err := resolve(path)
	if err == nil && !exists {
		err = os.ErrNotExist
	}
	if err != nil {
		return nil, fmt.Errorf("workspace folder %q: %w", path, err)
	}
	if err := Refuse(resolved, o); err != nil {
		return nil, err
	}
	if err := obeyed(resolved, o); err != nil {
		return nil, err
	}
	r, err := openRoot(resolved)
	if err != nil {
		return nil, fmt.Errorf("workspace folder %q: %w", path, err)
	}
	return &folder{path: resolved, root: r}, nil
}

// Folders are the resolved, absolute paths, in the order they were opened; none of no set.
func (s *Set) Folders() []string {
	if s == nil {
		return nil
	}
	return slices.Clone(s.names)
}

// Others are the paths by which folders were opened that lead to them through links.
func (s *Set) Others() []string { return slices.Clone(s.others) }

// Close lets go of the folders' handles. Directories that Dir returned stay open.
func (s *Set) Close() error {
	var errs []error
	for _, f := range s.folders {
		errs = append(errs, f.root.close())
	}
	return errors.Join(errs...)
}
