package journal

import (
	"errors"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/files"
	"github.com/pillion-sidecar/pillion/sandbox/policy"
)

// place is a name in a directory that is held open.
type place struct {
	dir      int // O_PATH
	at, name string
	in       *node // of a dry run: the directory
}

func (p place) close() { _ = unix.Close(p.dir) }

func (p place) stat() (st unix.Stat_t, there bool) {
	if p.in != nil {
		st, err := p.in.in(p.name).stat()
		return st, err == nil
	}
	return st, unix.Fstatat(p.dir, p.name, &st, unix.AT_SYMLINK_NOFOLLOW) == nil
}

func (p place) born() int64 {
	switch {
	case p.in == nil:
		return born(p.dir, p.name)
	case p.in.in(p.name).real == "":
		return p.in.in(p.name).made.info.Size
	}
	return born(unix.AT_FDCWD, p.in.in(p.name).real)
}

// list opens a directory, and reads its names.
func (p place) list() (in place, names []string, err error) {
	in = place{dir: -1, at: filepath.Join(p.at, p.name)}
	if p.in != nil {
		in.in = p.in.in(p.name)
		names, err = in.in.list()
		return in, names, err
	}
	in.dir, err = unix.Openat(p.dir, p.name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return in, nil, err
	}
	all := math.MaxInt
	entries, err := files.Entries(in.dir, &all)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	slices.Sort(names)
	return in, names, err
}

func (p place) isEmpty() bool {
	in, names, err := p.list()
	in.close()
	return err == nil && len(names) == 0
}

// path opens what a dry run has there, too.
func (p place) path() string {
	if p.in != nil {
		return p.in.in(p.name).real
	}
	return filepath.Join(files.Path(p.dir), p.name)
}

var errOutside = errors.New("it is outside of the workspace")

// rootOf is the root that a path is below.
func (s *Store) rootOf(path string) (root string, below bool) {
	at := slices.IndexFunc(s.Roots, func(r string) bool { return path != r && policy.Beneath(r, path) })
	if at < 0 {
		return "", false
	}
	return s.Roots[at], true
}

// find opens the directory of a path below one of the roots. No link is followed: a
// command may have put one there, so that something else would be restored through it.
func (s *Store) find(path string) (place, error) {
	root, below := s.rootOf(path)
	if !below {
		return place{}, errOutside
	}
	dir, err := unix.Open(root, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return place{}, err
	}
	at := filepath.Dir(path)
	fd, err := openBeneath(dir, strings.TrimPrefix(at[len(root):], "/"))
	_ = unix.Close(dir)
	return place{dir: fd, at: at, name: filepath.Base(path)}, err
}

// findRoot is find for a root itself, too: its times change with the names in it.
func (s *Store) findRoot(path string) (place, error) {
	if !slices.Contains(s.Roots, path) {
		return s.find(path)
	}
	dir, err := unix.Open(filepath.Dir(path), unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	return place{dir: dir, at: filepath.Dir(path), name: filepath.Base(path)}, err
}

// openBeneath opens a directory below another one, without links.
func openBeneath(dir int, rel string) (int, error) {
	how := unix.OpenHow{
		Flags:   unix.O_PATH | unix.O_DIRECTORY | unix.O_CLOEXEC,
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS,
	}
	if rel == "" {
		rel = "."
	}
	return unix.Openat2(dir, rel, &how)
}

// Host opens the parents of paths below a directory that is open as the host has it.
func Host(dir int, root string) Parent {
	return func(file string) (int, error) {
		if file == root || !policy.Beneath(root, file) {
			return -1, errOutside
		}
		return openBeneath(dir, strings.TrimPrefix(filepath.Dir(file)[len(root):], "/"))
	}
}
