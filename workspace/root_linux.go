package workspace

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// root is an O_PATH handle: enough to open below and to compare, and it neither
// needs read permission nor blocks.
type root struct{ file *os.File }

func openRoot(path string) (*root, error) {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return &root{file: os.NewFile(uintptr(fd), path)}, nil
}

// openDir lets the kernel hold the path below the folder. NO_SYMLINKS on top of
// BENEATH because rel is resolved already: a link on the way is a swap, and
// following it would make the file's name a lie.
func (r *root) openDir(rel, name string) (*os.File, error) {
	fd, err := unix.Openat2(int(r.file.Fd()), rel, &unix.OpenHow{
		Flags:   unix.O_RDONLY | unix.O_DIRECTORY | unix.O_CLOEXEC,
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS,
	})
	switch {
	case errors.Is(err, unix.ELOOP), errors.Is(err, unix.EXDEV), errors.Is(err, unix.EAGAIN):
		return nil, errSwapped
	case err != nil:
		return nil, &fs.PathError{Op: "openat2", Path: name, Err: err}
	}
	return os.NewFile(uintptr(fd), name), nil
}

// openFile opens what is directly below the folder. NONBLOCK because a FIFO would keep us
// waiting for its writer.
func (r *root) openFile(name string) (*os.File, error) {
	fd, err := unix.Openat2(int(r.file.Fd()), name, &unix.OpenHow{
		Flags:   unix.O_RDONLY | unix.O_NONBLOCK | unix.O_NOCTTY | unix.O_CLOEXEC,
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS,
	})
	switch {
	case errors.Is(err, unix.ELOOP):
		return nil, errSwapped
	case err != nil:
		return nil, &fs.PathError{Op: "openat2", Path: name, Err: err}
	}
	return os.NewFile(uintptr(fd), name), nil
}

func (r *root) lstat(name string) (fs.FileMode, error) {
	var st unix.Stat_t
	if err := unix.Fstatat(int(r.file.Fd()), name, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return 0, &fs.PathError{Op: "stat", Path: name, Err: err}
	}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		return 0, nil
	case unix.S_IFLNK:
		return fs.ModeSymlink, nil
	case unix.S_IFDIR:
		return fs.ModeDir, nil
	case unix.S_IFIFO:
		return fs.ModeNamedPipe, nil
	}
	return fs.ModeIrregular, nil
}

func (r *root) is(path string) (bool, error) {
	held, err := r.file.Stat()
	if err != nil {
		return false, err
	}
	now, err := os.Lstat(path)
	return err == nil && os.SameFile(held, now), err
}

func (r *root) close() error { return r.file.Close() }

func missing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.ENAMETOOLONG)
}
