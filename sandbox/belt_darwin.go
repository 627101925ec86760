package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/files"
	"github.com/pillion-sidecar/pillion/sandbox/inside"
	"github.com/pillion-sidecar/pillion/sandbox/policy"
	"github.com/pillion-sidecar/pillion/sandbox/seatbelt"
)

// layBelt names everything as the kernel does. The profile compares paths byte by
// byte, and a volume that folds case has the workspace under many names.
func layBelt(o Options, p Policy, dir, exe string) (seatbelt.Profile, error) {
	s := seatbelt.Profile{Policy: p}
	var errs []error
	own := func(path string) string { // a directory of ours: we know what it leads to
		real, err := filepath.EvalSymlinks(path)
		if err == nil {
			real, err = files.KernelPath(real)
		}
		errs = append(errs, err)
		return real
	}
	s.Home, s.Tmp, s.State, s.Self = own(filepath.Join(dir, "home")), own(filepath.Join(dir, "tmp")), own(o.StateDir), own(exe)
	root := own(dir)
	s.Box, s.Mark = filepath.Join(root, inside.BoxMark), filepath.Join(root, inside.MarksIn)
	if home, err := os.UserHomeDir(); err == nil && filepath.IsAbs(home) && filepath.Clean(home) != "/" {
		s.User = own(home)
	}
	if p.Mode == Off {
		return s, errors.Join(errs...)
	}
	all := slices.Concat(p.Writable, p.Readable)
	granted := func(paths []string) []string {
		real, err := grantedPaths(paths, all)
		errs = append(errs, err)
		return real
	}
	s.Policy.Writable, s.Policy.Readable = granted(p.Writable), granted(p.Readable)
	s.Policy.Caches = nil
	for _, c := range p.Caches {
		s.Policy.Caches = append(s.Policy.Caches, own(c))
	}
	if p.Outputs != "" {
		s.Policy.Outputs = own(p.Outputs)
	}
	var err error
	s.Policy.Sockets, err = grantedSockets(p.Sockets)
	return s, errors.Join(append(errs, err)...)
}

// grantedPaths leaves out what is not there: to grant nothing is always safe. A path
// may lead through links that its user has made. In a folder of the workspace it may
// not: a command could have made the link, and would choose what is granted.
func grantedPaths(paths, folders []string) ([]string, error) {
	var real []string
	for _, p := range paths {
		end, err := filepath.EvalSymlinks(p)
		inside := func(folder string) bool { return folder != p && policy.Beneath(folder, p) }
		switch {
		case errors.Is(err, os.ErrNotExist) || errors.Is(err, os.ErrPermission):
			continue
		case err != nil:
			return nil, err
		case end != p && slices.ContainsFunc(folders, inside):
			return nil, fmt.Errorf("%s leads through a symbolic link to %s; name that", p, end)
		}
		k, err := files.KernelPath(end)
		if errors.Is(err, os.ErrNotExist) || errors.Is(err, os.ErrPermission) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if !slices.Contains(real, k) {
			real = append(real, k)
		}
	}
	return real, nil
}

// grantedSockets are named by the directory they are in: a socket can't be opened.
func grantedSockets(paths []string) ([]string, error) {
	var real []string
	for _, p := range paths {
		var st unix.Stat_t
		if err := unix.Lstat(p, &st); err != nil {
			continue // its program does not run
		}
		if st.Mode&unix.S_IFMT != unix.S_IFSOCK {
			return nil, fmt.Errorf("sockets: %s is no UNIX socket", p)
		}
		dir := filepath.Dir(p)
		switch end, err := filepath.EvalSymlinks(dir); {
		case err != nil:
			return nil, fmt.Errorf("sockets: %w", err)
		case end != dir: // as on Linux, a link is never followed
			return nil, fmt.Errorf("sockets: %s leads through a symbolic link to %s; name that", p, filepath.Join(end, filepath.Base(p)))
		}
		k, err := files.KernelPath(dir)
		if err != nil {
			return nil, fmt.Errorf("sockets: %w", err)
		}
		real = append(real, filepath.Join(k, filepath.Base(p)))
	}
	return real, nil
}
