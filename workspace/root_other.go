//go:build !linux

package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"syscall"
)

// root is os.Root: it resolves each component by handle and refuses to leave.
type root struct{ dir *os.Root }

func openRoot(path string) (*root, error) {
	// OpenRoot would wait for a FIFO's writer; lstat does not.
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("open %s: %w", path, syscall.ENOTDIR)
	}
	dir, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	return &root{dir: dir}, nil
}

func (r *root) openDir(rel, name string) (*os.File, error) {
	sub, err := r.dir.OpenRoot(rel)
	if err != nil {
		return nil, err
	}
	defer sub.Close()
	held, err := sub.Stat(".")
	if err != nil {
		return nil, err
	}
	file, err := os.Open(name) // os.Root's own files carry relative names
	if err != nil {
		return nil, err
	}
	now, err := file.Stat()
	if err != nil || !os.SameFile(held, now) {
		return nil, errors.Join(errSwapped, file.Close())
	}
	return file, nil
}

// openFile opens what is directly below the folder, if it is the regular file that lstat
// shows: os.Root follows links that stay inside.
func (r *root) openFile(name string) (*os.File, error) {
	flags := os.O_RDONLY
	if runtime.GOOS != "windows" {
		flags |= syscall.O_NONBLOCK // a FIFO would keep us waiting for its writer
	}
	before, err := r.dir.Lstat(name)
	if err != nil {
		return nil, err
	}
	file, err := r.dir.OpenFile(name, flags, 0)
	if err != nil {
		return nil, err
	}
	now, err := file.Stat()
	if err != nil || !os.SameFile(before, now) {
		return nil, errors.Join(errSwapped, file.Close())
	}
	return file, nil
}

func (r *root) lstat(name string) (fs.FileMode, error) {
	info, err := r.dir.Lstat(name)
	if err != nil {
		return 0, err
	}
	return info.Mode().Type(), nil
}

func (r *root) is(path string) (bool, error) {
	held, err := r.dir.Stat(".")
	if err != nil {
		return false, err
	}
	now, err := os.Lstat(path)
	return err == nil && os.SameFile(held, now), err
}

func (r *root) close() error { return r.dir.Close() }

func missing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ENAMETOOLONG)
}
