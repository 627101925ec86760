package journal

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

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
	end     int64
	cutOff  bool // the command's end was not written: it was killed with us
	out     *Entry
	known   map[stamp]stamp       // what change times stand for that undos gave
	fresh   []stamp               // those of them that no log has that stays
	final   map[files.ID]Info     // what was changed in the command's last moments
	instead map[files.ID]standIn  // what was made anew for something that is gone, by any undo since
	moved   map[files.ID][]string // where any command or undo since has moved something to
	took    map[string]bool       // names that were taken away here
	view    view                  // of a dry run
	stuck   map[string]bool       // paths that are not as the next record expects them
	void    int64                 // how many of the next records the kernel refused
	Result
}

// stamp is a file at a change time. What an undo puts back has a new one, and may be
// another file; it stands for that of what was there, which may stand for an older one.
type stamp struct {
	files.ID
	at int64
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
// are taken back with that.
type standIn struct {
	files.ID
	until int64
}

// Undo takes back what an entry holds. What it leaves stays in the entry, so it may be
// called again.
func (s *Store) Undo(name string, o Options) (Result, error) {
	if s.runs(name) {
		return Result{}, ErrRuns
	}
	log, err := os.Open(filepath.Join(s.dir, name, logName))
	if _, begun := os.Stat(filepath.Join(s.dir, name)); begun == nil && errors.Is(err, os.ErrNotExist) {
		return Result{Entry: o.Name}, nil // killed before its first record, so before its first change
	}
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
	entry, err := os.Open(filepath.Join(s.dir, name))
	if err != nil {
		return Result{}, err
	}
	defer entry.Close()
	u := &undo{
		store: s, opts: o, entry: entry, end: now(), known: map[stamp]stamp{}, final: map[files.ID]Info{}, stuck: map[string]bool{},
		instead: map[files.ID]standIn{}, moved: map[files.ID][]string{}, took: map[string]bool{}, view: view{},
	}
	if r, ok := last(log); ok {
		u.end = r.end
	} else {
		u.cutOff = true
	}
	if err := u.since(name); err != nil {
		return Result{}, err
	}
	u.out = NewEntry(int(base.Fd()), o.Name, o.Meta, Bounds{})
	rest, err := newRest(entry, o.DryRun)
	if err != nil {
		return Result{}, err
	}
	defer rest.close()
	var failed error
	err = backwards(log, info.Size(), func(r record) {
		var left bool
		if failed == nil {
			left, failed = u.step(r)
			failed = errors.Join(failed, rest.add(r, left))
		}
	})
	u.Entry = o.Name
	if err = errors.Join(err, failed, u.finish()); err == nil && !o.DryRun {
		err = rest.replace(filepath.Join(s.dir, name))
	}
	return u.Result, err
}

// finish says of the files that were put back what their change times stand for.
func (u *undo) finish() error {
	var err error
	for _, now := range u.fresh {
		if was := u.known[now]; u.out.log >= 0 {
			info := Info{Dev: now.Dev, Ino: now.Ino, CTime: now.at, MTime: was.at}
			err = errors.Join(err, u.out.write(record{kind: settled, to: strconv.FormatUint(was.Ino, 10), info: info}))
		}
	}
	for was, is := range u.instead {
		if u.out.log >= 0 {
			err = errors.Join(err, u.out.write(record{kind: anew, to: strconv.FormatUint(is.Ino, 10), info: Info{Dev: was.Dev, Ino: was.Ino, CTime: is.until}}))
		}
	}
	return errors.Join(err, u.out.End(u.host))
}

// since reads what undos have put back after an entry began, and what was moved. The
// entry's own is taken along: with it everything of it goes. A command that began
// earlier may have moved something later.
func (u *undo) since(name string) error {
	names, err := u.store.names()
	var began unix.Stat_t
	err = errors.Join(err, unix.Fstatat(int(u.entry.Fd()), metaName, &began, 0))
	for _, n := range names {
		if err != nil {
			return err
		}
		log, open := os.Open(filepath.Join(u.store.dir, n, logName))
		if open != nil {
			continue
		}
		if info, e := log.Stat(); n >= name || e == nil && info.ModTime().UnixNano() >= began.Mtim.Nano() {
			err = each(log, func(r record) { u.learn(r, n >= name, n == name) })
		}
		_ = log.Close()
	}
	return err
}

func (u *undo) learn(r record, later, own bool) {
	was := files.ID{Dev: r.info.Dev, Ino: r.info.Ino}
	ino, _ := strconv.ParseUint(r.to, 10, 64) // 0 is no inode
	switch {
	case r.kind == renamed:
		u.moved[was] = append(u.moved[was], r.to)
	case r.kind == settled && later:
		u.known[r.stamp()] = stamp{files.ID{Dev: was.Dev, Ino: ino}, r.info.MTime}
		if own {
			u.fresh = append(u.fresh, r.stamp())
		}
	case r.kind == anew && later:
		u.instead[was] = standIn{files.ID{Dev: was.Dev, Ino: ino}, r.info.CTime}
	}
}

// same says that a file is as the command left it.
func (u *undo) same(st *unix.Stat_t) bool {
	was := u.was(st).at
	last, ok := u.final[files.IDOf(st)]
	switch {
	case u.opts.Force:
		return true
	case ok && was == last.CTime && was == st.Ctim.Nano():
		return st.Size == last.Size
	case ok:
		return was <= last.CTime
	}
	return was <= u.end
}

// was is when a file was changed last, but for what undos have put back.
func (u *undo) was(st *unix.Stat_t) stamp {
	at := stampOf(st)
	for range maxAnew {
		before, ok := u.known[at]
		if !ok {
			break
		}
		at = before
	}
	return at
}

// note remembers that a file is as something was at a time.
func (u *undo) note(dir int, name string, was stamp) {
	var st unix.Stat_t
	if unix.Fstatat(dir, name, &st, unix.AT_SYMLINK_NOFOLLOW) == nil {
		u.stays(&st, was)
	}
}

func (u *undo) stays(st *unix.Stat_t, was stamp) {
	if now := stampOf(st); now != was {
		u.known[now] = was
		u.fresh = append(u.fresh, now)
	}
}

func (u *undo) leave(path, why string) {
	u.stuck[path] = true
	if len(u.Left) < maxLeft {
		u.Left = append(u.Left, Left{path, why})
	} else {
		u.LeftMore++
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
		u.final[files.ID{Dev: r.info.Dev, Ino: r.info.Ino}] = r.info
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
	if u.opts.DryRun {
		if err := u.imagine(r); err != nil {
			u.leave(r.path, reason(err))
		}
		return true, nil
	}
	find := u.store.find
	if r.kind == times || r.kind == mode {
		find = u.store.findRoot
	}
	p, err := find(at)
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
		u.leave(r.path, reason(err))
	}
	return err != nil, nil
}

// makeWay is find where directories are gone: they are made, and an undo of this one takes
// them away.
func (u *undo) makeWay(path string) (place, error) {
	p, err := u.store.find(filepath.Dir(path))
	if errors.Is(err, unix.ENOENT) {
		p, err = u.makeWay(filepath.Dir(path))
	}
	if err != nil {
		return place{}, err
	}
	defer p.close()
	if err := u.out.Touch(p.dir, p.at); err != nil {
		return place{}, err
	}
	if err := unix.Mkdirat(p.dir, p.name, 0o755); err != nil {
		return place{}, err
	}
	if err := u.out.Created(p.dir, p.at, p.name); err != nil {
		return place{}, err
	}
	return u.store.find(path)
}

// refused is for what was never done. To keep a file may have changed its change time.
func (u *undo) refused(r record) {
	if r.kind != removed {
		return
	}
	p, err := u.store.find(r.path)
	if err != nil {
		return
	}
	defer p.close()
	if st, there := p.stat(); there && u.is(&st, r) && u.same(&st) {
		u.note(p.dir, p.name, r.stamp())
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
}

func (p place) close() { _ = unix.Close(p.dir) }

func (p place) stat() (st unix.Stat_t, there bool) {
	return st, unix.Fstatat(p.dir, p.name, &st, unix.AT_SYMLINK_NOFOLLOW) == nil
}

var errOutside = errors.New("it is outside of the workspace")

// find opens the directory of a path below one of the roots. No link is followed: a
// command may have put one there, so that something else would be restored through it.
func (s *Store) find(path string) (place, error) {
	for _, root := range s.Roots {
		if path == root || !policy.Beneath(root, path) {
			continue
		}
		dir, err := unix.Open(root, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		if err != nil {
			return place{}, err
		}
		at := filepath.Dir(path)
		fd, err := openBeneath(dir, strings.TrimPrefix(at[len(root):], "/"))
		_ = unix.Close(dir)
		return place{fd, at, filepath.Base(path)}, err
	}
	return place{}, errOutside
}

// findRoot is find for a root itself, too: its times change with the names in it.
func (s *Store) findRoot(path string) (place, error) {
	if !slices.Contains(s.Roots, path) {
		return s.find(path)
	}
	dir, err := unix.Open(filepath.Dir(path), unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	return place{dir, filepath.Dir(path), filepath.Base(path)}, err
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
