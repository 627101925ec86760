package sandbox

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// root is a writable directory, opened once.
type root struct {
	path string
	fd   int
}

// target says which file a metadata call means and what it wants.
type target struct {
	dirfd  int32  // AT_FDCWD or a descriptor of the caller
	path   string // "" means the descriptor itself
	follow bool
}

const atFDCWD = int32(unix.AT_FDCWD)

// metadata does one call on the caller's behalf. The argument layout is that of
// each call's manual page, section 2.
func (b *broker) metadata(name string, n notification) error {
	t, rest, err := b.decode(name, n)
	if err != nil {
		return err
	}
	file, err := b.open(int(n.pid), t)
	if err != nil {
		return err
	}
	defer unix.Close(file)
	if !b.alive(n.id) {
		return unix.ESRCH
	}
	switch {
	case strings.Contains(name, "chmod"):
		return chmodFile(file, uint32(n.args[rest]))
	case strings.Contains(name, "chown"):
		return unix.Fchownat(file, "", int(int32(n.args[rest])), int(int32(n.args[rest+1])), unix.AT_EMPTY_PATH)
	}
	ts, err := readTimes(int(n.pid), name, n.args[rest])
	if err != nil {
		return err
	}
	return unix.UtimesNanoAt(file, "", ts, unix.AT_EMPTY_PATH)
}

// decode finds the file; rest is the index of the first argument after it.
func (b *broker) decode(name string, n notification) (t target, rest int, err error) {
	pid, arg := int(n.pid), n.args
	t = target{dirfd: atFDCWD, follow: true}
	switch name {
	case "chmod", "chown", "lchown", "utime", "utimes":
		t.follow = name != "lchown"
		t.path, err = readPath(pid, arg[0])
		return t, 1, err
	case "fchmod", "fchown":
		t.dirfd = int32(arg[0])
		return t, 1, nil
	}
	t.dirfd = int32(arg[0])
	flags := uint64(0)
	switch name {
	case "fchownat":
		flags = arg[4]
	case "utimensat":
		flags = arg[3]
	}
	t.follow = flags&unix.AT_SYMLINK_NOFOLLOW == 0
	if arg[1] == 0 && name != "fchmodat" { // utimensat(fd, NULL, …) is futimens
		return t, 2, nil
	}
	t.path, err = readPath(pid, arg[1])
	if err == nil && t.path == "" && flags&unix.AT_EMPTY_PATH == 0 {
		err = unix.ENOENT
	}
	return t, 2, err
}

// open resolves the caller's path to a descriptor of a file below a writable
// root. The second, beneath-only resolution is the check: the file it reaches
// from the root must be the very inode the caller named.
func (b *broker) open(pid int, t target) (int, error) {
	flags := unix.O_PATH | unix.O_CLOEXEC
	if !t.follow {
		flags |= unix.O_NOFOLLOW
	}
	named, err := unix.Open(callerPath(pid, t), flags, 0)
	if err != nil {
		return -1, err
	}
	defer unix.Close(named)
	where, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", named))
	if err != nil {
		return -1, unix.EPERM
	}
	for _, r := range b.roots {
		rel, err := filepath.Rel(r.path, where)
		if err != nil || !filepath.IsLocal(rel) {
			continue
		}
		how := unix.OpenHow{
			Flags:   unix.O_PATH | unix.O_CLOEXEC | unix.O_NOFOLLOW,
			Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS,
		}
		inside, err := unix.Openat2(r.fd, rel, &how)
		if err != nil {
			continue
		}
		if sameFile(named, inside) {
			return inside, nil
		}
		_ = unix.Close(inside)
	}
	return -1, unix.EPERM
}

// callerPath rewrites what only means the right thing inside the caller.
func callerPath(pid int, t target) string {
	base := fmt.Sprintf("/proc/%d/cwd", pid)
	if t.dirfd != atFDCWD {
		base = fmt.Sprintf("/proc/%d/fd/%d", pid, t.dirfd)
	}
	if t.path == "" {
		return base
	}
	if !strings.HasPrefix(t.path, "/") {
		return base + "/" + t.path
	}
	for from, to := range map[string]string{"/proc/self/": "/", "/proc/thread-self/": "/", "/dev/fd/": "/fd/"} {
		if rest, ok := strings.CutPrefix(t.path, from); ok {
			return fmt.Sprintf("/proc/%d%s%s", pid, to, rest)
		}
	}
	return t.path
}

func sameFile(a, b int) bool {
	var sa, sb unix.Stat_t
	return unix.Fstat(a, &sa) == nil && unix.Fstat(b, &sb) == nil && sa.Dev == sb.Dev && sa.Ino == sb.Ino
}

// chmodFile refuses set-id bits: a program left in the workspace must not run
// as its owner for anyone who finds it.
func chmodFile(fd int, mode uint32) error {
	if mode&unix.S_ISUID != 0 {
		return unix.EPERM
	}
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return err
	}
	if mode&unix.S_ISGID != 0 && st.Mode&unix.S_IFMT != unix.S_IFDIR {
		return unix.EPERM
	}
	return unix.Fchmodat(unix.AT_FDCWD, fmt.Sprintf("/proc/self/fd/%d", fd), mode&0o7777, 0)
}

// readPath reads a NUL-terminated path of at most PATH_MAX bytes.
func readPath(pid int, addr uint64) (string, error) {
	b, err := readMemory(pid, addr, unix.PathMax)
	if err != nil {
		return "", err
	}
	end := bytes.IndexByte(b, 0)
	if end < 0 {
		return "", unix.ENAMETOOLONG
	}
	return string(b[:end]), nil
}

// readMemory reads up to size bytes, fewer where the mapping ends.
func readMemory(pid int, addr uint64, size int) ([]byte, error) {
	f, err := os.Open(fmt.Sprintf("/proc/%d/mem", pid))
	if err != nil {
		return nil, unix.EPERM
	}
	defer f.Close()
	b := make([]byte, size)
	n, _ := f.ReadAt(b, int64(addr))
	if n == 0 {
		return nil, unix.EFAULT
	}
	return b[:n], nil
}

// readTimes reads access and modification time in the form each call uses; a
// null pointer is now.
func readTimes(pid int, name string, addr uint64) ([]unix.Timespec, error) {
	if addr == 0 {
		now := unix.NsecToTimespec(time.Now().UnixNano())
		return []unix.Timespec{now, now}, nil
	}
	size := 32
	if name == "utime" {
		size = 16 // struct utimbuf: two time_t
	}
	b, err := readMemory(pid, addr, size)
	if err != nil || len(b) < size {
		return nil, unix.EFAULT
	}
	word := func(i int) int64 { return int64(binary.LittleEndian.Uint64(b[8*i:])) }
	switch name {
	case "utime":
		return []unix.Timespec{{Sec: word(0)}, {Sec: word(1)}}, nil
	case "utimensat":
		return []unix.Timespec{{Sec: word(0), Nsec: word(1)}, {Sec: word(2), Nsec: word(3)}}, nil
	}
	return []unix.Timespec{{Sec: word(0), Nsec: 1000 * word(1)}, {Sec: word(2), Nsec: 1000 * word(3)}}, nil
}
