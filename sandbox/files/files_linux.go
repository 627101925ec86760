package files

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"golang.org/x/sys/unix"
)

// RealPath is where a descriptor's object is now; "pipe:[1]" and the like for
// what has no place.
func RealPath(fd int) (string, error) {
	var buf [unix.PathMax + 64]byte
	n, err := unix.Readlinkat(OwnFDs(), strconv.Itoa(fd), buf[:])
	if err != nil {
		return "", err
	}
	if n == len(buf) {
		return "", unix.ENAMETOOLONG
	}
	return string(buf[:n]), nil
}

// Real is where a path leads, links resolved.
func Real(path string) (string, error) {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return "", err
	}
	defer func() { _ = unix.Close(fd) }()
	return RealPath(fd)
}

// OwnFDs is /proc/self/fd, opened once: half of what a look-up there costs is
// finding the directory.
var OwnFDs = sync.OnceValue(func() int {
	fd, err := unix.Open("/proc/self/fd", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1 // every path is then refused
	}
	return fd
})

// Path is where /proc has a descriptor of ours.
func Path(fd int) string { return "/proc/self/fd/" + strconv.Itoa(fd) }

// Same says that two descriptors are of one file.
func Same(a, b int) bool {
	var sa, sb unix.Stat_t
	return unix.Fstat(a, &sa) == nil && unix.Fstat(b, &sb) == nil && IDOf(&sa) == IDOf(&sb)
}

// Exists says that a directory has a name.
func Exists(dir int, name string) bool {
	var st unix.Stat_t
	return unix.Fstatat(dir, name, &st, unix.AT_SYMLINK_NOFOLLOW) == nil
}

// Entries reads a directory; with too many of them, or one that can't be read, it
// fails: what is not seen is not judged.
func Entries(dir int, left *int) ([]fs.DirEntry, error) {
	fd, err := unix.Openat(dir, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), ".")
	defer f.Close()
	entries, err := f.ReadDir(-1)
	if *left -= len(entries); *left < 0 {
		err = errors.New("too many files")
	}
	return entries, err
}

// CheckDirect says why a path is not a directory that is reached without any link.
func CheckDirect(name string) error {
	fd, err := OpenPlain(unix.AT_FDCWD, name, unix.O_PATH|unix.O_DIRECTORY)
	if err != nil {
		return err
	}
	_ = unix.Close(fd)
	return nil
}

// LinkText is where a symbolic link leads.
func LinkText(dir int, name string) (string, error) {
	var buf [unix.PathMax]byte
	n, err := unix.Readlinkat(dir, name, buf[:])
	if err == nil && n == 0 {
		err = unix.ENOENT
	}
	return string(buf[:max(n, 0)]), err
}

// Read reads a regular file that may be there, at most so many bytes and one, and
// its mode.
func Read(dir int, name string, most int64) (string, uint32, error) {
	fd, err := unix.Openat(dir, name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return "", 0, err
	}
	f := os.NewFile(uintptr(fd), name)
	defer f.Close()
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return "", 0, err
	}
	if st.Mode&unix.S_IFMT != unix.S_IFREG {
		return "", 0, unix.EINVAL // who reads a FIFO waits for its writer
	}
	var b bytes.Buffer
	b.Grow(int(min(st.Size, most)) + bytes.MinRead) // or it is read bit by bit
	_, err = b.ReadFrom(io.LimitReader(f, most+1))
	return b.String(), st.Mode & 0o777, err
}

// Parent opens the directory that holds an object under its real path.
func Parent(path string, obj int) (int, error) {
	dir, err := OpenPlain(unix.AT_FDCWD, filepath.Dir(path), unix.O_PATH|unix.O_DIRECTORY)
	if err != nil {
		return -1, err
	}
	again, err := unix.Openat(dir, filepath.Base(path), unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err == nil {
		defer func() { _ = unix.Close(again) }()
	}
	if err != nil || !Same(again, obj) {
		_ = unix.Close(dir)
		return -1, unix.ENOENT
	}
	return dir, nil
}

// ID names a file while it exists.
type ID struct{ Dev, Ino uint64 }

// IDOf is that of a file that was looked at.
func IDOf(st *unix.Stat_t) ID { return ID{Dev: st.Dev, Ino: st.Ino} }

// Unnamed makes a file in memory without a name, which can't be executed.
func Unnamed(what string) (int, error) {
	const flags = unix.MFD_CLOEXEC | unix.MFD_ALLOW_SEALING
	fd, err := unix.MemfdCreate(what, flags|unix.MFD_NOEXEC_SEAL)
	if err == unix.EINVAL { // before Linux 6.3
		fd, err = unix.MemfdCreate(what, flags)
	}
	return fd, err
}
