package sandbox

import (
	"encoding/binary"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// target says which file a metadata call means and what it wants.
type target struct {
	dirfd  int32  // AT_FDCWD or a descriptor of the caller
	path   string // "" means the descriptor itself
	follow bool
}

const atFDCWD = int32(unix.AT_FDCWD)

// metadata does one call on the caller's behalf.
func (a *ask) metadata(name string) error {
	t, rest, err := a.decode(name)
	if err != nil {
		return err
	}
	arg := &a.n.args
	file, err := a.target(t, func(file int) change {
		if !strings.Contains(name, "chmod") {
			return changeWrite
		}
		return changeOfMode(file, uint32(arg[rest]))
	})
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(file) }()
	switch {
	case strings.Contains(name, "chmod"):
		return chmodFile(file, uint32(arg[rest]))
	case strings.Contains(name, "chown"):
		return unix.Fchownat(file, "", int(int32(arg[rest])), int(int32(arg[rest+1])), unix.AT_EMPTY_PATH)
	}
	ts, err := a.times(name, arg[rest])
	if err != nil {
		return err
	}
	return unix.UtimesNanoAt(file, "", ts, unix.AT_EMPTY_PATH)
}

// decode finds the file; rest is the index of the first argument after it.
func (a *ask) decode(name string) (t target, rest int, err error) {
	arg := &a.n.args
	t = target{dirfd: atFDCWD, follow: true}
	switch name {
	case "chmod", "chown", "lchown", "utime", "utimes":
		t.follow = name != "lchown"
		t.path, err = a.path(arg[0])
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
	t.path, err = a.path(arg[1])
	if err == nil && t.path == "" && flags&unix.AT_EMPTY_PATH == 0 {
		err = unix.ENOENT
	}
	return t, 2, err
}

// changeOfMode tells a mode that is there already from one that differs in the bits for
// execution only, and from others.
func changeOfMode(file int, mode uint32) change {
	var st unix.Stat_t
	if unix.Fstat(file, &st) != nil {
		return changeWrite
	}
	switch differs := (st.Mode ^ mode) & 0o7777; {
	case differs == 0:
		return 0
	case differs&^0o111 == 0 && st.Mode&unix.S_IFMT == unix.S_IFREG:
		return changeRunnable
	}
	return changeWrite
}

func alwaysWrite(int) change { return changeWrite }

// target opens the file below a writable root that the caller means to change so.
func (a *ask) target(t target, kind func(file int) change) (int, error) {
	file, err := a.locate(t)
	if err != nil {
		return -1, err
	}
	path, err := realPath(file)
	if err == nil {
		err = a.alive()
	}
	if err == nil {
		err = a.judge(path, -1, file, kind(file))
	}
	if err == nil && (!strings.HasPrefix(path, "/") || slices.Contains(devices, path)) {
		err = unix.EPERM // a pipe's or a device's mode is not the command's to change
	}
	if err != nil {
		_ = unix.Close(file)
		return -1, err
	}
	return file, nil
}

func (a *ask) locate(t target) (int, error) {
	if t.path == "" {
		return a.base(t.dirfd)
	}
	p, err := a.parent(t.dirfd, t.path)
	if err != nil {
		return -1, err
	}
	return a.pin(p, t.follow)
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
	return unix.Fchmodat(ownFDs(), strconv.Itoa(fd), mode&0o7777, 0)
}

// times reads access and modification time in the form each call uses; a
// null pointer is now.
func (a *ask) times(name string, addr uint64) ([]unix.Timespec, error) {
	if addr == 0 {
		now := unix.NsecToTimespec(time.Now().UnixNano())
		return []unix.Timespec{now, now}, nil
	}
	size := 32
	if name == "utime" {
		size = 16 // struct utimbuf: two time_t
	}
	b := make([]byte, size)
	if n, err := a.read(addr, b); err != nil || n < size {
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
