package journal

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/files"
	"github.com/pillion-sidecar/pillion/sandbox/policy"
)

// Supported says whether what commands change is kept on this system.
const Supported = true

// undo takes one entry back.
type undo struct {
	store   *Store
	opts    Options
	entry   *os.File // its directory
	began   int64    // its meta was written then, by the clock that change times are of
	end     int64
	cutOff  bool // the command's end was not written: it was killed with us
	out     *Entry
	known   map[stamp]stamp        // what change times stand for that undos gave
	fresh   []record               // what is still to be written of this
	half    map[files.ID][]half    // what undos that were killed were about to change
	making  string                 // what such an undo was about to make
	touched map[string]Info        // directories before such undos
	final   map[files.ID]Info      // directories whose mode the command changed, in its end
	instead map[files.ID][]standIn // what was made anew for something that is gone, by any undo since
	moved   map[files.ID][]string  // where any command or undo since has moved something to
	shut    map[string]Info        // directories that were entered, as they were
	theirs  map[stamp]bool         // what somebody else has left while the command ran
	wrote   map[files.ID]int64     // since when another command did
	own     owned                  // what the command made; nil where that is not known
	back    map[stamp]bool         // what undos before have put back
	placed  map[stamp]bool         // what this entry, of an undo, has put back
	took    map[string]bool        // names that were taken away here
	used    map[string]bool        // git directories: whether others have changed something in one
	touches map[files.ID]bool      // what records are about; where repositories are, see needed
	shares  map[string][]record    // what the command wrote to in the directories of programs, see shared
	view    *node                  // of a dry run: /
	stuck   map[string]bool        // paths that are not as the next record expects them
	void    int64                  // how many of the next records the kernel refused
	Result
}

// stamp is a file at a change time. What an undo puts back has a new one, and may be
// another file; it stands for that of what was there, which may stand for an older one.
type stamp struct {
	files.ID
	at int64
}

// half is what a file may be that a killed undo was about to change.
type half struct {
	size, mtime int64 // size is -1 for the beginning of what was kept
	was         stamp
}

func stampOf(st *unix.Stat_t) stamp { return stamp{files.IDOf(st), st.Ctim.Nano()} }

func (r record) stamp() stamp { return stamp{files.ID{Dev: r.info.Dev, Ino: r.info.Ino}, r.info.CTime} }

func earlier(a, b stamp) stamp {
	if b.at < a.at {
		return b
	}
	return a
}

// standIn is what was made anew in the place of something, and until when its changes
// are taken back with that. The number of what is gone is given again: it is about what
// had it from one time to another.
type standIn struct {
	stamp
	from, to, until int64
}

// Undo takes back what an entry holds. Files that it leaves stay in the entry, so it may
// be called again.
func (s *Store) Undo(name string, o Options) (Result, error) {
	if s.runs(name) {
		return Result{}, ErrRuns
	}
	dir := filepath.Join(s.dir, name)
	entry, err := os.Open(dir)
	if err != nil {
		return Result{}, err
	}
	defer entry.Close()
	if _, err := os.Stat(filepath.Join(dir, logName)); errors.Is(err, os.ErrNotExist) {
		return Result{Entry: o.Name}, nil // killed before its first record, so before its first change
	}
	rest, err := newRest(dir, o.DryRun)
	if err != nil {
		return Result{}, err
	}
	defer rest.close()
	log, err := os.Open(filepath.Join(dir, logName))
	if err != nil {
		return Result{}, err
	}
	defer log.Close()
	info, err := log.Stat()
	if err != nil {
		return Result{}, err
	}
	base, err := os.Open(s.dir)
	if err != nil {
		return Result{}, err
	}
	defer base.Close()
	u := &undo{
		store: s, opts: o, entry: entry, end: time.Now().UnixNano(), known: map[stamp]stamp{}, final: map[files.ID]Info{}, stuck: map[string]bool{},
		instead: map[files.ID][]standIn{}, moved: map[files.ID][]string{}, took: map[string]bool{}, theirs: map[stamp]bool{}, wrote: map[files.ID]int64{}, back: map[stamp]bool{}, placed: map[stamp]bool{}, shut: map[string]Info{},
		half: map[files.ID][]half{}, touched: map[string]Info{}, used: map[string]bool{}, touches: map[files.ID]bool{}, shares: map[string][]record{},
	}
	if o.DryRun {
		u.view = &node{real: "/"}
	}
	if r, ok := last(log); ok {
		u.end = r.end
	} else {
		u.cutOff = true
	}
	if err := u.since(name); err != nil {
		return Result{}, err
	}
	if strings.HasPrefix(filepath.Base(u.making), carried) && !o.DryRun {
		if p, err := s.find(u.making); err == nil {
			_ = unix.Unlinkat(p.dir, p.name, 0) // or it has its name
			p.close()
		}
	}
	u.out = NewEntry(int(base.Fd()), o.Name, o.Meta, Bounds{})
	var failed error
	err = backwards(log, info.Size(), func(r record, at int64) {
		var left bool
		if failed == nil {
			before := u.Restored
			left, failed = u.step(r)
			if !left && u.Restored > before && (r.kind == removed || r.kind == rmdir || r.kind == written) {
				failed = errors.Join(failed, rest.add(r.restored(), at, false, false))
			}
			failed = errors.Join(failed, rest.add(r, at, left || failed != nil, u.void == 0))
		}
	})
	u.Entry = o.Name
	if err = errors.Join(err, failed, u.finish()); err == nil && !o.DryRun {
		err = rest.end()
	}
	return u.Result, err
}

// restored says that what a record is about is back: a directory that the command made is
// not removed with it.
func (r record) restored() record {
	if r.kind == rmdir {
		r.info.CTime = r.info.Size
	}
	return record{kind: returned, path: r.path, info: r.info}
}

// finish writes what of the undo's own knowledge it has not yet.
func (u *undo) finish() error {
	for _, dir := range slices.Backward(slices.Sorted(maps.Keys(u.shut))) {
		u.leaveShut(dir)
	}
	return errors.Join(u.settle(), u.out.End(u.host))
}

// settle writes what is known of files that were put back, as soon as anything is.
func (u *undo) settle() error {
	for len(u.fresh) > 0 && u.out.log >= 0 {
		if err := u.out.write(u.fresh[0]); err != nil {
			return err
		}
		u.fresh = u.fresh[1:]
	}
	return nil
}

// since reads what undos have put back after an entry began, and what was moved. The
// entry's own is taken along: with it everything of it goes. A command that began
// earlier may have moved something later.
func (u *undo) since(name string) error {
	names, err := u.store.names()
	var began unix.Stat_t
	err = errors.Join(err, unix.Fstatat(int(u.entry.Fd()), metaName, &began, 0))
	u.began = began.Mtim.Nano()
	for _, n := range names {
		if err != nil {
			return err
		}
		log, open := os.Open(filepath.Join(u.store.dir, n, logName))
		if open != nil {
			continue
		}
		if info, e := log.Stat(); n >= name || e == nil && info.ModTime().UnixNano() >= u.began {
			_, whole := last(log)
			err = each(log, func(r record) { u.learn(r, n >= name, n == name, n > name && !whole) })
		}
		_ = log.Close()
	}
	return err
}

// learn gets what logs say: of a later entry than this one or its own, and of an undo that
// was cut off.
func (u *undo) learn(r record, later, own, cut bool) {
	was := r.stamp().ID
	if dir := u.store.programs(r.path); own && r.kind == written && dir != "" {
		u.shares[dir] = append(u.shares[dir], r)
	}
	if own {
		u.touch(r)
	}
	ino, _ := strconv.ParseUint(r.to, 10, 64) // 0: no inode
	is := files.ID{Dev: was.Dev, Ino: ino}
	switch {
	case r.kind == renamed:
		u.moved[was] = append(u.moved[was], r.to)
	case r.kind == settled && r.info.CTime == 0:
		if cut {
			u.half[was] = append(u.half[was], half{r.info.Size, r.info.ATime, stamp{is, r.info.MTime}})
		}
		return
	case r.kind == settled && later:
		u.known[r.stamp()] = stamp{is, r.info.MTime}
		delete(u.half, was)
	case r.kind == anew && later:
		u.instead[was] = append(u.instead[was], r.standIn(is))
	case r.kind == theirs && own:
		u.theirs[r.stamp()] = true
	case r.kind == mine && own:
		if u.own == nil {
			u.own = owned{}
		}
		u.own.add(r)
	case r.kind == written && !own:
		u.changedBy(r)
	case r.kind == returned && own:
		u.back[r.stamp()] = true
	case r.kind == making && cut:
		u.making = r.path
	case r.kind == created && r.path == u.making:
		u.making = ""
	case r.kind == times && cut:
		u.touched[r.path] = r.info
	}
	if own && r.kind == settled {
		u.placed[r.stamp()] = true
	}
	if own && (r.kind == settled || r.kind == anew) {
		u.fresh = append(u.fresh, r)
	}
}

// same says that a file is as the command left it.
func (u *undo) same(st *unix.Stat_t) bool {
	was := u.was(st)
	return u.opts.Force || was.at <= u.end && !u.isTheirs(was)
}

// was is when a file was changed last, but for what undos have put back.
func (u *undo) was(st *unix.Stat_t) stamp {
	at := stampOf(st)
	if _, ok := u.known[at]; !ok {
		for _, h := range u.half[at.ID] {
			if h.size == st.Size && h.mtime == st.Mtim.Nano() {
				u.stays(st, h.was)
			}
		}
	}
	return u.base(at)
}

// base is what a file at a change time stands for.
func (u *undo) base(at stamp) stamp {
	for range maxAnew {
		before, ok := u.known[at]
		if !ok {
			break
		}
		at = before
	}
	return at
}

// made says that what is in a directory of the command's is of the command: another may
// have been put there, or brought back by an undo.
func (u *undo) made(p place, st *unix.Stat_t) bool {
	is, born := stampOf(st), p.born()
	_ = u.was(st)                            // which knows what an undo that was killed has begun
	if st.Mode&unix.S_IFMT == unix.S_IFDIR { // the names in it change its change time
		if is.at = born; born == 0 {
			return u.own == nil || u.own.has(is.ID) || u.opts.Force
		}
	}
	at := is
	for range maxAnew {
		before, more := u.known[at]
		switch {
		case u.opts.Force:
			return true
		case u.isTheirs(at) || u.back[at]:
			return false
		case u.began <= at.at && at.at <= u.end:
			return u.madeBy(at, is, born)
		case !more:
			return false
		}
		at = before
	}
	return false
}

// note remembers that a file is as something was at a time.
func (u *undo) note(p place, was stamp) {
	if st, there := p.stat(); there {
		u.stays(&st, was)
	}
}

// stays is note for a file that is open. Where nothing has changed it since, what it stood
// for does so, too: that is what a redo brings back.
func (u *undo) stays(st *unix.Stat_t, was stamp) {
	now := stampOf(st)
	delete(u.half, now.ID)
	for _, is := range slices.Compact([]stamp{u.base(now), now}) {
		if is == was {
			continue
		}
		u.known[is] = was
		r := stands(st, was)
		r.info.Dev, r.info.Ino, r.info.CTime = is.Dev, is.Ino, is.at
		u.fresh = append(u.fresh, r)
	}
	_ = u.settle() // finish tries again
}

// stands says that a file at its change time, 0 for the next one, is as another was.
func stands(st *unix.Stat_t, was stamp) record {
	info := infoOf(st)
	info.ATime, info.MTime = info.MTime, was.at
	return record{kind: settled, to: strconv.FormatUint(was.Ino, 10), info: info}
}

// will comes before a change of what has something's size and modification time: who is
// killed then has changed at most what else there is. What a person writes has others.
func (u *undo) will(st *unix.Stat_t, was stamp) error {
	if st.Mode&unix.S_IFMT == unix.S_IFDIR {
		return nil
	}
	r := stands(st, was)
	r.info.CTime = 0
	return u.out.write(r)
}

func (u *undo) leave(path, why string) {
	u.stuck[path] = true
	if len(u.Left) < maxLeft {
		u.Left = append(u.Left, Left{path, why})
	} else {
		u.LeftMore++
	}
}

// leaves is leave for a step. What has only lost its content gets its name and mode back,
// what is not there may have an older one in its place, and what was in a directory comes
// back beside what was put there.
func (u *undo) leaves(r record, err error) {
	if err == errNeeded {
		return // what is needed has said so
	}
	u.leave(r.path, reason(err))
	describes := r.kind == written || r.kind == mode || r.kind == attr
	if describes && (errors.As(err, new(unkept)) || errors.Is(err, errOccupied)) || errors.Is(err, errOther) || errors.Is(err, errFilled) {
		delete(u.stuck, r.path)
	}
}

// wanted says that a record is about what was asked for.
func (u *undo) wanted(r record) bool {
	if len(u.opts.Paths) == 0 {
		return true
	}
	for _, p := range u.opts.Paths {
		if policy.Beneath(p, r.path) || r.kind == renamed && policy.Beneath(p, r.to) || r.kind == times && policy.Beneath(r.path, p) {
			return true
		}
	}
	return false
}

// blocked says that a path was left, or is below one: what came before can't be undone
// there.
func (u *undo) blocked(path string) bool {
	if dir := u.store.programs(path); dir != "" && !u.stuck[dir] && u.shared(dir) {
		u.leave(dir, errShared.Error())
	}
	for len(u.stuck) > 0 && path != "/" && path != "." {
		if u.stuck[path] {
			return true
		}
		path = filepath.Dir(path)
	}
	return false
}

var steps = map[kind]func(*undo, record, place) error{
	created: (*undo).unmake, linked: (*undo).unmake, removed: (*undo).putBack, rmdir: (*undo).makeDir,
	renamed: (*undo).moveBack, exchange: (*undo).changeBack, written: (*undo).rewrite,
	mode: (*undo).remode, attr: (*undo).reattribute, times: (*undo).retime,
}

// step takes one record back; left says that it stays to be taken back.
func (u *undo) step(r record) (left bool, err error) {
	do := steps[r.kind]
	switch r.kind {
	case refused:
		u.void = r.info.Size
		return false, nil
	case final:
		u.final[r.stamp().ID] = r.info
		return false, nil
	case theirs: // see learn
		u.void = max(u.void-1, 0) // so it is, whatever the kernel said then
		return false, nil
	}
	if u.void > 0 {
		if u.void--; r.kind != times {
			u.refused(r)
			return false, nil
		}
	}
	if do == nil {
		return false, nil
	}
	if !u.wanted(r) || u.blocked(r.path) {
		return true, nil
	}
	at := r.path
	if r.kind == renamed {
		if at = r.to; u.blocked(at) {
			u.leave(r.path, "it was moved to "+r.to+", which was changed since")
			return true, nil
		}
	}
	find := u.find
	if r.kind == times || r.kind == mode {
		find = u.findRoot
	}
	p, err := u.reach(at, find)
	if errors.Is(err, unix.ENOENT) && u.opts.Force && (r.kind == removed || r.kind == rmdir || r.kind == written) {
		p, err = u.makeWay(at)
	}
	if err != nil {
		if r.kind != times {
			u.leave(r.path, "its directory: "+reason(err))
		}
		return true, nil
	}
	defer p.close()
	err = do(u, r, p)
	if errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT) {
		return true, fmt.Errorf("%s: %w", r.path, err)
	}
	if err != nil {
		u.leaves(r, err)
	}
	return err != nil, nil
}

// makeWay is find where directories are gone: they are made, and an undo of this one takes
// them away.
func (u *undo) makeWay(path string) (place, error) {
	p, err := u.find(filepath.Dir(path))
	if errors.Is(err, unix.ENOENT) {
		p, err = u.makeWay(filepath.Dir(path))
	}
	if err != nil {
		return place{}, err
	}
	defer p.close()
	if err := u.completes(p, place{}); err != nil {
		return place{}, err
	}
	if u.view != nil {
		p.in.put(p.name, &node{made: record{kind: rmdir, info: Info{Mode: unix.S_IFDIR | 0o755}}})
		return u.find(path)
	}
	if err := u.out.Touch(p.dir, p.at); err != nil {
		return place{}, err
	}
	if err := unix.Mkdirat(p.dir, p.name, 0o755); err != nil {
		return place{}, err
	}
	if err := u.out.Created(p.dir, p.at, p.name); err != nil {
		return place{}, err
	}
	return u.find(path)
}

// refused is for what was never done. To keep a file may have changed its change time.
func (u *undo) refused(r record) {
	if r.kind != removed {
		return
	}
	p, err := u.find(r.path)
	if err != nil {
		return
	}
	defer p.close()
	if st, there := p.stat(); there && u.is(&st, r) && u.same(&st) {
		u.note(p, r.stamp())
	}
}

func reason(err error) string {
	if errno := unix.Errno(0); errors.As(err, &errno) {
		return errno.Error()
	}
	return err.Error()
}

// place is a name in a directory that is held open.
type place struct {
	dir      int // O_PATH
	at, name string
	in       *node // of a dry run: the directory
}

func (p place) close() { _ = unix.Close(p.dir) }

func (p place) stat() (st unix.Stat_t, there bool) {
	if p.in != nil {
		st, err := p.in.in(p.name).stat()
		return st, err == nil
	}
	return st, unix.Fstatat(p.dir, p.name, &st, unix.AT_SYMLINK_NOFOLLOW) == nil
}

func (p place) born() int64 {
	switch {
	case p.in == nil:
		return born(p.dir, p.name)
	case p.in.in(p.name).real == "":
		return p.in.in(p.name).made.info.Size
	}
	return born(unix.AT_FDCWD, p.in.in(p.name).real)
}

// list opens a directory, and reads its names.
func (p place) list() (in place, names []string, err error) {
	in = place{dir: -1, at: filepath.Join(p.at, p.name)}
	if p.in != nil {
		in.in = p.in.in(p.name)
		names, err = in.in.list()
		return in, names, err
	}
	in.dir, err = unix.Openat(p.dir, p.name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return in, nil, err
	}
	all := math.MaxInt
	entries, err := files.Entries(in.dir, &all)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	slices.Sort(names)
	return in, names, err
}

func (p place) isEmpty() bool {
	in, names, err := p.list()
	in.close()
	return err == nil && len(names) == 0
}

// path opens what a dry run has there, too.
func (p place) path() string {
	if p.in != nil {
		return p.in.in(p.name).real
	}
	return filepath.Join(files.Path(p.dir), p.name)
}

var errOutside = errors.New("it is outside of the workspace")

// rootOf is the root that a path is below.
func (s *Store) rootOf(path string) (root string, below bool) {
	at := slices.IndexFunc(s.Roots, func(r string) bool { return path != r && policy.Beneath(r, path) })
	if at < 0 {
		return "", false
	}
	return s.Roots[at], true
}

// find opens the directory of a path below one of the roots. No link is followed: a
// command may have put one there, so that something else would be restored through it.
func (s *Store) find(path string) (place, error) {
	root, below := s.rootOf(path)
	if !below {
		return place{}, errOutside
	}
	dir, err := unix.Open(root, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return place{}, err
	}
	at := filepath.Dir(path)
	fd, err := openBeneath(dir, strings.TrimPrefix(at[len(root):], "/"))
	_ = unix.Close(dir)
	return place{dir: fd, at: at, name: filepath.Base(path)}, err
}

// findRoot is find for a root itself, too: its times change with the names in it.
func (s *Store) findRoot(path string) (place, error) {
	if !slices.Contains(s.Roots, path) {
		return s.find(path)
	}
	dir, err := unix.Open(filepath.Dir(path), unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	return place{dir: dir, at: filepath.Dir(path), name: filepath.Base(path)}, err
}

// openBeneath opens a directory below another one, without links.
func openBeneath(dir int, rel string) (int, error) {
	how := unix.OpenHow{
		Flags:   unix.O_PATH | unix.O_DIRECTORY | unix.O_CLOEXEC,
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS,
	}
	if rel == "" {
		rel = "."
	}
	return unix.Openat2(dir, rel, &how)
}

// Host opens the parents of paths below a directory that is open as the host has it.
func Host(dir int, root string) Parent {
	return func(file string) (int, error) {
		if file == root || !policy.Beneath(root, file) {
			return -1, errOutside
		}
		return openBeneath(dir, strings.TrimPrefix(filepath.Dir(file)[len(root):], "/"))
	}
}

// maxLeft bounds how many paths a Result names.
const maxLeft = 1000
