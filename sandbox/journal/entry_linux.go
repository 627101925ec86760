package journal

import (
	"errors"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/files"
)

// Bounds say how much is kept, in bytes.
type Bounds struct {
	File  int64 // of one file that is copied
	Entry int64 // of one command

	Watched bool // others may write to the same files meanwhile

	// Refuse, if there is one, gets what can't be kept, and why; then it must not be
	// changed. Without it the record says that it is lost.
	Refuse func(path, why string)
}

// DefaultBounds keep what people work on; build results come back by building.
func DefaultBounds() Bounds { return Bounds{File: 64 << 20, Entry: 1 << 30, Watched: true} }

// EveryBound is for a command that needed no question because all of it is kept: more than
// by default, and nothing without.
func EveryBound(refuse func(path, why string)) Bounds {
	return Bounds{File: 1 << 30, Entry: 4 << 30, Watched: true, Refuse: refuse}
}

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

// ownDir refuses what the kernel is going to refuse: it must not be recorded.
func (e *Entry) ownDir(dir int) (own bool, st unix.Stat_t, err error) {
	if err = unix.Fstat(dir, &st); err == nil && st.Mode&unix.S_IFMT != unix.S_IFDIR {
		err = unix.ENOTDIR
	}
	return e.own.has(files.IDOf(&st)), st, err
}

// touch keeps the times of a directory whose names are about to change. own says that
// the command made it: nothing in it needs to be kept.
func (e *Entry) touch(dir int, path string) (own bool, err error) {
	own, st, err := e.ownDir(dir)
	if err != nil || own {
		return own, err
	}
	if e.seen[files.IDOf(&st)]&onceTimes != 0 {
		return false, nil
	}
	if err := e.write(record{kind: times, path: path, info: infoOf(&st)}); err != nil {
		return false, err
	}
	e.once(files.IDOf(&st), onceTimes)
	return false, nil
}

// once remembers that this was kept: a record of it has been written.
func (e *Entry) once(i files.ID, bit uint8) {
	if len(e.seen) < maxKnown {
		e.seen[i] |= bit
	}
}

// Touch comes before a name is made in dir, which is open at a path.
func (e *Entry) Touch(dir int, at string) error {
	_, err := e.touch(dir, at)
	return err
}

// Created comes after: what was not made must not be taken away. A record that is lost
// when its writer dies in between leaves a file, and loses none.
func (e *Entry) Created(dir int, at, name string) error {
	var st unix.Stat_t
	if err := unix.Fstatat(dir, name, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return nil // another process was faster: it is gone
	}
	if len(e.own) < maxKnown {
		e.own[files.IDOf(&st)] = e.bornOwn(dir, name)
	}
	file := path.Join(at, name)
	e.nests = e.nests || e.bounds.Watched && st.Mode&unix.S_IFMT == unix.S_IFDIR
	own, _, err := e.ownDir(dir)
	if err != nil || own && !e.mixed { // else something else may come back to the name
		return err
	}
	if !own {
		e.counts(file, +1)
	}
	return e.write(record{kind: created, path: file, info: infoOf(&st)})
}

// bornOwn is when something of the command's was made, if that is going to be written.
func (e *Entry) bornOwn(dir int, name string) int64 {
	if !e.bounds.Watched {
		return 0
	}
	return born(dir, name)
}

// Opened comes after a file was made, which is open for writing.
func (e *Entry) Opened(file int, path string) {
	var st unix.Stat_t
	if e.bounds.Watched && unix.Fstat(file, &st) == nil {
		e.watch(files.IDOf(&st), file, path, 1)
	}
}

// counts adds a new name, or takes one away that was new. A file that was removed and is
// there again was modified: so does git.
func (e *Entry) counts(file string, by int64) {
	if _, again := e.gone[file]; !again {
		e.Counts.Created += by
		return
	}
	delete(e.gone, file)
	e.Deleted--
	e.Modified++
}

// Linked comes after a second name was made of what file is, whose change time was
// another one before.
func (e *Entry) Linked(dir int, at, name string, file int, was int64) error {
	var st unix.Stat_t
	if err := unix.Fstat(file, &st); err != nil || e.own.has(files.IDOf(&st)) || st.Nlink < 2 {
		return errors.Join(err, e.Created(dir, at, name))
	}
	own, _, err := e.ownDir(dir)
	if err != nil {
		return err
	}
	if e.mixed = e.mixed || own; !own {
		e.Counts.Created++
	}
	e.once(files.IDOf(&st), onceMoved)
	r := record{kind: linked, path: path.Join(at, name), info: infoOf(&st)}
	r.info.CTime = was
	return e.write(r)
}

// nextName names what is kept.
func (e *Entry) nextName() string {
	if e.fixed != "" {
		return e.fixed
	}
	e.next++
	return strconv.Itoa(e.next)
}
