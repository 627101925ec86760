package mounts

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/files"
	"github.com/pillion-sidecar/pillion/sandbox/policy"
)

// view mounts the view of a path. The descriptor stays, to be cloned for other sandboxes.
func (b *build) view(at string) (int, error) {
	for _, v := range b.plan.views {
		if v.At != at {
			continue
		}
		fd, err := v.FD, error(nil)
		if fd == 0 {
			fd, err = b.overlay(v)
		}
		if err != nil {
			return -1, err
		}
		kept, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
		if err != nil {
			return -1, err
		}
		if err := attach(fd, b.root, below(at)); err != nil {
			return -1, errors.Join(err, unix.Close(kept))
		}
		return kept, nil
	}
	return -1, unix.ENOENT
}

// overlay is a new one. No link is followed to its layers: commands may have made one. It
// is volatile, or the end of a sandbox would wait until the whole disk is written.
func (b *build) overlay(v policy.View) (int, error) {
	options := []string{"userxattr", "volatile"}
	var fds []int
	defer func() {
		for _, fd := range fds {
			_ = unix.Close(fd)
		}
	}()
	layer := func(dir string) (string, error) {
		fd, err := files.OpenPlain(b.host, below(dir), unix.O_PATH|unix.O_DIRECTORY)
		if err != nil {
			return "", err
		}
		fds = append(fds, fd)
		return fmt.Sprintf("/proc/self/fd/%d", fd), nil
	}
	lower := ""
	for _, dir := range v.Lower {
		if name, err := layer(dir); err == nil {
			lower += ":" + name
		}
	}
	upper, err := layer(v.Upper)
	if err != nil || lower == "" {
		return -1, fmt.Errorf("the layers of %s: %w", v.At, err)
	}
	work, err := layer(v.Work)
	if err != nil {
		return -1, err
	}
	return newFS("overlay", attrHarmless, append(options, "lowerdir="+lower[1:], "upperdir="+upper, "workdir="+work)...)
}
