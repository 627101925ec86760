package journal

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/files"
)

// Entry writes what one command, or one undo, is about to change. It is not safe for
// concurrent use. Each method is called before its change, and an error of it must
// refuse the change: what can't be recorded must not happen.
type Entry struct {
	base   int // O_PATH of the directory of all entries of a workspace
	name   string
	meta   []byte
	bounds Bounds

	dir, log int // -1 until something is recorded
	next     int
	own      owned
	seen     map[files.ID]uint8 // what was kept of others
	gone     map[string]bool    // names that were removed
	mixed    bool               // what is not its own is, or was, in a directory of its own
	records  int64              // that were written
	lastGone string             // what was added to gone last
	Counts
	buf   []byte
	fixed string   // the name of what is kept, instead of a number
	modes []string // directories whose mode was changed
	nests bool     // it made a directory
	others
}

const (
	onceTimes = 1 << iota
	onceWritten
	onceMode
	onceAttribute
	onceMoved
)

// NewEntry prepares an entry; its directory is made by the first record. meta is kept
// beside the log for List.
func NewEntry(base int, name string, meta []byte, b Bounds) *Entry {
	return &Entry{
		base: base, name: name, meta: meta, bounds: b, dir: -1, log: -1,
		own: owned{}, seen: map[files.ID]uint8{}, gone: map[string]bool{},
	}
}

// maxKnown bounds what is remembered of one command. Beyond it everything counts as
// another program's, which costs copies, and is not wrong.
const maxKnown = 1 << 20

func (e *Entry) open() error {
	if e.log >= 0 {
		return nil
	}
	if err := unix.Mkdirat(e.base, e.name, 0o700); err != nil && err != unix.EEXIST {
		return err
	}
	dir, err := unix.Openat(e.base, e.name, unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	err = writeAt(dir, metaName, e.meta)
	log := -1
	if err == nil {
		log, err = unix.Openat(dir, logName, unix.O_WRONLY|unix.O_APPEND|unix.O_CREAT|unix.O_EXCL|unix.O_CLOEXEC, 0o600)
	}
	if err != nil {
		return errors.Join(err, unix.Close(dir))
	}
	e.dir, e.log = dir, log
	// An undo of it waits for its end.
	return unix.Flock(log, unix.LOCK_EX|unix.LOCK_NB)
}

func writeAt(dir int, name string, text []byte) error {
	fd, err := unix.Openat(dir, name, unix.O_WRONLY|unix.O_CREAT|unix.O_TRUNC|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return err
	}
	f := os.NewFile(uintptr(fd), name)
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}

func (e *Entry) write(r record) error {
	if r.why != "" && e.bounds.Refuse != nil {
		e.bounds.Refuse(r.path, r.why)
		e.Unkept--
		return unix.EDQUOT
	}
	if err := e.open(); err != nil {
		return err
	}
	e.buf = r.append(e.buf[:0])
	for b := e.buf; len(b) > 0; {
		n, err := unix.Write(e.log, b)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return e.untear(int64(len(e.buf)-len(b)), err)
		}
		b = b[n:]
	}
	e.records++
	return nil
}

// untear takes back what of a record was written before an error, such as that of a full
// disk: with the next record after it the log could not be read, and nothing undone.
func (e *Entry) untear(part int64, err error) error {
	var st unix.Stat_t
	if part == 0 {
		return err
	}
	if unix.Fstat(e.log, &st) == nil && unix.Ftruncate(e.log, st.Size-part) == nil {
		return err
	}
	return errors.Join(err, errTorn)
}

// Attempt does one change with the records that come before it. Those of a change that
// the kernel refuses are void: undo would look for what it never did.
func (e *Entry) Attempt(keep, change func() error) error {
	records, kept, counts := e.records, e.next, e.Counts
	e.lastGone = ""
	if err := keep(); err != nil {
		return err
	}
	err := change()
	if n := e.records - records; err != nil && n > 0 {
		delete(e.gone, e.lastGone)
		e.Counts = counts
		if e.write(record{kind: refused, info: Info{Size: n}}) == nil { // without it undo names what it can't find
			for ; kept < e.next; kept++ {
				_ = unix.Unlinkat(e.dir, strconv.Itoa(kept+1), 0)
			}
		}
	}
	return err
}

// End says that all of the command has ended, and gives back what the entry holds.
func (e *Entry) End(host Parent) error {
	if e == nil || e.log < 0 {
		return nil
	}
	for _, file := range e.others.end() {
		e.wroteTo(file, host)
	}
	end, err := e.parted()
	for _, dir := range e.modes {
		_ = e.final(dir, host, final, files.ID{}) // it is gone, or times count alone
	}
	err = errors.Join(err, e.listOwn(), e.write(record{kind: ended, end: end, Counts: e.Counts}))
	_ = unix.Flock(e.log, unix.LOCK_UN) // a child that is being made has it open, too
	err = errors.Join(err, unix.Close(e.log), unix.Close(e.dir))
	e.log, e.dir = -1, -1
	return err
}

// parted is a time that each change before has reached, and that none after has.
//
// Change times go by ticks of up to 10 ms: of who changes a file in the tick in which the
// command ends they don't say that it was later, and undo would take that away. So the next
// tick is waited for. Newer kernels begin another one for who has looked at a file.
func (e *Entry) parted() (at int64, err error) {
	const most = 100 // milliseconds: a file system may have seconds only
	var before, after unix.Stat_t
	err = errors.Join(unix.Fchmod(e.log, 0o600), unix.Fstat(e.log, &before))
	for range 4 * most {
		err = errors.Join(err, unix.Fchmod(e.log, 0o600), unix.Fstat(e.log, &after))
		if err != nil || after.Ctim.Nano() > before.Ctim.Nano() {
			return after.Ctim.Nano() - 1, err
		}
		time.Sleep(time.Millisecond / 4)
	}
	return time.Now().UnixNano(), nil
}

// final says what something was in the end, if it is there: what has a number, or any.
func (e *Entry) final(path string, host Parent, as kind, is files.ID) bool {
	dir, err := host(path)
	if err != nil {
		return false
	}
	defer func() { _ = unix.Close(dir) }()
	var st unix.Stat_t
	err = unix.Fstatat(dir, filepath.Base(path), &st, unix.AT_SYMLINK_NOFOLLOW)
	if err != nil || is != (files.ID{}) && is != files.IDOf(&st) || as == final && e.own.has(files.IDOf(&st)) {
		return false // a directory that the command made may have the number of the one it removed
	}
	return e.write(record{kind: as, path: path, info: infoOf(&st)}) == nil
}

func infoOf(st *unix.Stat_t) Info {
	return Info{
		Dev: uint64(st.Dev), Ino: st.Ino, Mode: st.Mode, UID: st.Uid, GID: st.Gid, Size: st.Size,
		MTime: st.Mtim.Nano(), ATime: st.Atim.Nano(), CTime: st.Ctim.Nano(),
	}
}

// nextName names what is kept.
func (e *Entry) nextName() string {
	if e.fixed != "" {
		return e.fixed
	}
	e.next++
	return strconv.Itoa(e.next)
}
