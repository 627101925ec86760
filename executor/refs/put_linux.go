package refs

import (
	"errors"
	"os"
	"path"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// We put it back with the user's rights: no link is followed on the way, for a command
// could have left one.

const direct = unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS

func openDir(at int, name string) (int, error) {
	fd, err := unix.Openat2(at, name, &unix.OpenHow{Flags: unix.O_PATH | unix.O_DIRECTORY | unix.O_CLOEXEC, Resolve: direct})
	if err != nil {
		return -1, &os.PathError{Op: "open", Path: name, Err: err}
	}
	// A command may have taken the bits away.
	return fd, os.Chmod("/proc/self/fd/"+strconv.Itoa(fd), 0o755)
}

// parent opens the directory of a name, and makes it; what is in the way is removed.
func parent(dir, name string, makes bool) (int, error) {
	at, err := openDir(unix.AT_FDCWD, dir)
	if err != nil {
		return -1, err
	}
	parts := strings.Split(path.Dir(name), "/")
	if parts[0] == "." {
		return at, nil
	}
	for _, part := range parts {
		next, err := openDir(at, part)
		if err != nil && makes {
			_ = unix.Unlinkat(at, part, 0)
			if err = unix.Mkdirat(at, part, 0o755); err == nil {
				next, err = openDir(at, part)
			}
		}
		_ = unix.Close(at)
		if err != nil {
			return -1, err
		}
		at = next
	}
	return at, nil
}

// put gives a file of a git directory its old text.
func put(dir, name, text string) error {
	at, err := parent(dir, name, true)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(at) }()
	const fresh = "tmp_aside"
	_ = unix.Unlinkat(at, fresh, 0)
	fd, err := unix.Openat(at, fresh, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o644)
	if err != nil {
		return err
	}
	f := os.NewFile(uintptr(fd), fresh)
	_, err = f.WriteString(text)
	err = errors.Join(err, f.Close())
	if err == nil {
		err = unix.Renameat(at, fresh, at, path.Base(name))
	}
	if err != nil {
		_ = unix.Unlinkat(at, fresh, 0)
	}
	return err
}

func remove(dir, name string) error {
	at, err := parent(dir, name, false)
	if err == nil {
		defer func() { _ = unix.Close(at) }()
		err = unix.Unlinkat(at, path.Base(name), 0)
	}
	if errors.Is(err, unix.ENOENT) {
		return nil
	}
	return err
}

// moveAside gives a file of a git directory another name.
func moveAside(dir, name, aside string) error {
	at, err := parent(dir, name, false)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(at) }()
	return unix.Renameat(at, path.Base(name), at, path.Base(aside))
}
