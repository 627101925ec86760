package mounts

import (
	"errors"
	"fmt"
	"os"
	"path"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/files"
)

// The mount system calls of Linux 5.12, as small as a plan needs them. Whatever is
// made here belongs to the calling process's own mount namespace.

const (
	attrHarmless = unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV
	attrReadOnly = attrHarmless | unix.MOUNT_ATTR_RDONLY
	attrDevice   = unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NOEXEC | unix.MOUNT_ATTR_RDONLY
)

// cloneTree copies the mount at a path with everything mounted below it, and
// gives the copy attributes, all of it: a submount left writable was a hole in
// two sandboxes. The copy receives nothing that the host mounts later.
func cloneTree(at int, name string, attrs uint64) (int, error) {
	from, err := files.OpenPlain(at, name, unix.O_PATH)
	if err != nil {
		return -1, err
	}
	defer unix.Close(from)
	return cloneOpen(from, name, attrs)
}

// cloneSocket does so with a socket, and with nothing that has taken its place since
// the plan was made.
func cloneSocket(at int, name string) (int, error) {
	from, err := files.OpenPlain(at, name, unix.O_PATH)
	if err != nil {
		return -1, err
	}
	defer unix.Close(from)
	var st unix.Stat_t
	if err := unix.Fstat(from, &st); err != nil {
		return -1, fmt.Errorf("stat %s: %w", name, err)
	}
	if st.Mode&unix.S_IFMT != unix.S_IFSOCK {
		return -1, fmt.Errorf("%s is a socket no more: %w", name, unix.ENOTSOCK)
	}
	return cloneOpen(from, name, attrReadOnly)
}

func cloneOpen(from int, name string, attrs uint64) (int, error) {
	fd, err := unix.OpenTree(from, "", unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_EMPTY_PATH|unix.AT_RECURSIVE)
	if err != nil {
		return -1, fmt.Errorf("open_tree %s: %w", name, err)
	}
	attr := unix.MountAttr{Attr_set: attrs, Propagation: unix.MS_PRIVATE}
	if err := unix.MountSetattr(fd, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, &attr); err != nil {
		return -1, errors.Join(fmt.Errorf("mount_setattr %s: %w", name, err), unix.Close(fd))
	}
	return fd, nil
}

// newFS makes a file system; options without a value are flags.
func newFS(kind string, attrs int, options ...string) (int, error) {
	fs, err := unix.Fsopen(kind, unix.FSOPEN_CLOEXEC)
	if err != nil {
		return -1, fmt.Errorf("fsopen %s: %w", kind, err)
	}
	defer unix.Close(fs)
	for _, o := range options {
		key, value, ok := strings.Cut(o, "=")
		if ok {
			err = unix.FsconfigSetString(fs, key, value)
		} else {
			err = unix.FsconfigSetFlag(fs, key)
		}
		if err != nil {
			return -1, fmt.Errorf("%s option %s: %w", kind, o, err)
		}
	}
	if err := unix.FsconfigCreate(fs); err != nil {
		return -1, fmt.Errorf("create %s: %w", kind, err)
	}
	fd, err := unix.Fsmount(fs, unix.FSMOUNT_CLOEXEC, attrs)
	if err != nil {
		return -1, fmt.Errorf("fsmount %s: %w", kind, err)
	}
	return fd, nil
}

// attach mounts what fd holds on a path below root, and closes fd.
func attach(fd, root int, name string) error {
	defer unix.Close(fd)
	return put(fd, root, name)
}

// put is attach for a mount that is still needed.
func put(fd, root int, name string) error {
	at, err := files.OpenPlain(root, name, unix.O_PATH)
	if err != nil {
		return err
	}
	defer unix.Close(at)
	if err := unix.MoveMount(fd, "", at, "", unix.MOVE_MOUNT_F_EMPTY_PATH|unix.MOVE_MOUNT_T_EMPTY_PATH); err != nil {
		return fmt.Errorf("move_mount: %w", err)
	}
	return nil
}

// setAttrs changes the mount at a path below root, and no other.
func setAttrs(root int, name string, attrs uint64) error {
	fd, err := files.OpenPlain(root, name, unix.O_PATH)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	if err := unix.MountSetattr(fd, "", unix.AT_EMPTY_PATH, &unix.MountAttr{Attr_set: attrs}); err != nil {
		return fmt.Errorf("mount_setattr: %w", err)
	}
	return nil
}

// below turns a path inside into one for the *at calls.
func below(p string) string {
	if p == "/" {
		return "."
	}
	return strings.TrimPrefix(p, "/")
}

// makeDir, makeFile and makeLink create in file systems of ours. The parent is
// opened without following links.
func makeDir(root int, name string, mode uint32) error {
	return inParent(root, name, func(dir int, base string) error {
		// What the private directory kept from a build that failed is as good.
		if err := unix.Mkdirat(dir, base, mode); err != nil && !errors.Is(err, unix.EEXIST) {
			return err
		}
		return nil
	})
}

func makeFile(root int, name string, mode uint32) error {
	return inParent(root, name, func(dir int, base string) error {
		fd, err := unix.Openat(dir, base, unix.O_CREAT|unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_CLOEXEC, mode)
		if err != nil {
			return err
		}
		return unix.Close(fd)
	})
}

// makeLink leaves what is there: in the private home an earlier command may have found it.
func makeLink(root int, name, text string) error {
	return inParent(root, name, func(dir int, base string) error {
		if err := unix.Symlinkat(text, dir, base); err != unix.EEXIST {
			return err
		}
		return nil
	})
}

func inParent(root int, name string, f func(dir int, base string) error) error {
	dir, err := files.OpenPlain(root, path.Dir(name), unix.O_PATH|unix.O_DIRECTORY)
	if err != nil {
		return err
	}
	defer unix.Close(dir)
	if err := f(dir, path.Base(name)); err != nil {
		return &os.PathError{Op: "create", Path: "/" + name, Err: err}
	}
	return nil
}
