package broker

import (
	"encoding/binary"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/files"
	"github.com/pillion-sidecar/pillion/sandbox/policy"
	"github.com/pillion-sidecar/pillion/sandbox/protect"
)

const atFDCWD = int32(unix.AT_FDCWD)

// where says which arguments of a call are its file.
type where struct {
	dir, path int  // indexes; cwd and none for those that a call lacks
	flags     int  // index of AT_SYMLINK_NOFOLLOW and AT_EMPTY_PATH, 0 for none
	itself    bool // a link itself is meant, and not what it leads to
	nullable  bool // without a path the descriptor is meant
}

const cwd, none = -1, -1

// find opens it.
func (a *request) find(w where, g *args) (int, error) {
	dir, flags := atFDCWD, uint64(0)
	if w.dir != cwd {
		dir = g.fd(w.dir)
	}
	if w.flags != 0 {
		flags = g[w.flags]
	}
	if w.path == none || w.nullable && g[w.path] == 0 { // utimensat(fd, NULL, …) is futimens
		return a.base(dir)
	}
	path, err := a.path(g[w.path])
	if err != nil {
		return -1, err
	}
	if path == "" && flags&unix.AT_EMPTY_PATH != 0 {
		return a.base(dir)
	}
	p, err := a.parent(dir, path)
	if err != nil {
		return -1, err
	}
	return a.pin(p, !w.itself && flags&unix.AT_SYMLINK_NOFOLLOW == 0)
}

// target opens the file below a writable root that the caller means to change so.
func (a *request) target(w where, g *args, kind func(file int) protect.Change) (int, error) {
	file, err := a.find(w, g)
	if err != nil {
		return -1, err
	}
	var st unix.Stat_t
	path, err := files.RealPath(file)
	if err == nil {
		err = unix.Fstat(file, &st)
	}
	if err == nil {
		err = a.nameless(file, path, &st)
	}
	if err == nil {
		err = a.alive()
	}
	if err == nil {
		err = a.judge(path, -1, file, kind(file))
	}
	if err == nil && (!strings.HasPrefix(path, "/") || slices.Contains(policy.Devices, path)) {
		err = unix.EPERM // a pipe's or a device's mode is not the command's to change
	}
	if err != nil {
		_ = unix.Close(file)
		return -1, err
	}
	return file, nil
}

func alwaysWrite(int) protect.Change { return protect.Write }

// ownTarget opens it as target does, where a change is a change of all its names.
func (a *request) ownTarget(w where, g *args, kind func(file int) protect.Change) (int, error) {
	file, err := a.target(w, g, kind)
	if err != nil || kind(file) == 0 {
		return file, err
	}
	own, err := a.ownInode(file)
	if err != nil {
		_ = unix.Close(file)
	}
	return own, err
}

// change does what changes a file's mode, owner or times.
func (a *request) change(file int, err error, do func(file int) error) error {
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(file) }()
	if err := a.b.changing(file); err != nil {
		return err
	}
	return do(file)
}

// mode is chmod: rest is the index of the mode.
func mode(w where, rest int) handler {
	return plain(func(a *request, g *args) error {
		kind := func(file int) protect.Change { return changeOfMode(file, g.u32(rest)) }
		file, err := a.ownTarget(w, g, kind)
		return a.change(file, err, func(file int) error { return chmodFile(file, g.u32(rest)) })
	})
}

// owner is chown: rest is the index of the user.
func owner(w where, rest int) handler {
	return plain(func(a *request, g *args) error {
		file, err := a.ownTarget(w, g, alwaysWrite)
		return a.change(file, err, func(file int) error {
			return unix.Fchownat(file, "", g.int(rest), g.int(rest+1), unix.AT_EMPTY_PATH)
		})
	})
}

// What a call has besides seconds, in nanoseconds.
const (
	timeSeconds = 0
	timeNano    = 1
	timeMicro   = 1000
)

// times is utime: rest is the index of the pointer to access and modification time. The
// other names of a file see it, too: git sets the time of a pack at every commit, and a
// clone beside it has the same file.
func times(w where, rest int, unit int64) handler {
	return plain(func(a *request, g *args) error {
		file, err := a.target(w, g, alwaysWrite)
		return a.change(file, err, func(file int) error {
			ts, err := a.times(g[rest], unit)
			if err != nil {
				return err
			}
			return unix.UtimesNanoAt(file, "", ts, unix.AT_EMPTY_PATH)
		})
	})
}

// times reads access and modification time; a null pointer is now.
func (a *request) times(addr uint64, unit int64) ([]unix.Timespec, error) {
	if addr == 0 {
		now := unix.NsecToTimespec(time.Now().UnixNano())
		return []unix.Timespec{now, now}, nil
	}
	b := make([]byte, 32)
	if unit == timeSeconds {
		b = b[:16] // struct utimbuf: two time_t
	}
	if n, err := a.read(addr, b); err != nil || n < len(b) {
		return nil, unix.EFAULT
	}
	word := func(i int) int64 { return int64(binary.LittleEndian.Uint64(b[8*i:])) }
	if unit == timeSeconds {
		return []unix.Timespec{{Sec: word(0)}, {Sec: word(1)}}, nil
	}
	return []unix.Timespec{{Sec: word(0), Nsec: unit * word(1)}, {Sec: word(2), Nsec: unit * word(3)}}, nil
}

// changeOfMode distinguishes a mode that is there already, one that differs in the bits
// for execution only, and others.
func changeOfMode(file int, mode uint32) protect.Change {
	var st unix.Stat_t
	if unix.Fstat(file, &st) != nil {
		return protect.Write
	}
	switch differs := (st.Mode ^ mode) & 0o7777; {
	case differs == 0:
		return 0
	case differs&^0o111 == 0 && st.Mode&unix.S_IFMT == unix.S_IFREG:
		return protect.Runnable
	}
	return protect.Write
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
	return unix.Fchmodat(files.OwnFDs(), strconv.Itoa(fd), mode&0o7777, 0)
}
