package broker

import (
	"errors"
	"path"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/files"
	"github.com/pillion-sidecar/pillion/sandbox/journal"
	"github.com/pillion-sidecar/pillion/sandbox/policy"
)

// The broker does every call that could destroy something, so it is here that what
// would be lost is kept first, see package journal. A call whose loss can't be kept
// fails, where that is for want of room; nothing else is refused.

// Hosts are the journal's directory and the workspace's, as the host has them: a link
// can't be made from one mount to another, and the sandbox's own mounts are others.
type Hosts struct {
	base  int // O_PATH
	roots []hostRoot
}

type hostRoot struct {
	fd   int // O_PATH
	path string
}

// NewHosts takes the descriptors that come with the configuration.
func NewHosts(fds []int, c policy.Conf) (*Hosts, error) {
	if !c.Journaled() {
		return nil, nil
	}
	if len(fds) != 1+len(c.Policy.Writable) {
		return nil, errors.New("the journal's directory can't be opened")
	}
	for _, fd := range fds {
		unix.CloseOnExec(fd)
	}
	h := &Hosts{base: fds[0]}
	for i, p := range c.Policy.Writable {
		h.roots = append(h.roots, hostRoot{fds[1+i], p})
	}
	return h, nil
}

// Begins gets a command that is about to start, and what the user's settings point to. Its
// changes are kept as entry, and with all what can't be kept is refused.
func (b *Broker) Begins(pointed []string, entry, meta string, all bool) {
	if b == nil {
		return
	}
	b.pointed.Store(&pointed)
	if b.hosts == nil || entry == "" {
		return
	}
	bounds := journal.DefaultBounds()
	if all {
		bounds = journal.EveryBound(func(path, why string) {
			b.seen.Add(policy.Violation{
				Op: "change", Path: path, Rule: policy.RuleUndo, Errno: "EDQUOT", Attribution: policy.AttributionReported,
				Grant: "none: it could not be undone (" + why + "); run the command again to be asked about it",
			})
		})
	}
	b.entry.Store(journal.NewEntry(b.hosts.base, entry, []byte(meta), bounds))
}

// keeps is the entry for a change at a real path; nil where nothing is kept.
func (b *Broker) keeps(file string) (*journal.Entry, journal.Parent) {
	e := b.entry.Load()
	if e == nil {
		return nil, nil
	}
	host := b.hosts.of(file)
	if host == nil {
		return nil, nil
	}
	b.dirty.Store(true) // its end is to be written
	return e, host
}

// of is the Parent of the first root that a file is in.
func (h *Hosts) of(file string) journal.Parent {
	i := slices.IndexFunc(h.roots, func(r hostRoot) bool { return policy.Beneath(r.path, file) && file != r.path })
	if i < 0 {
		return nil
	}
	return journal.Host(h.roots[i].fd, h.roots[i].path)
}

// parent is a Parent for what is below any root.
func (h *Hosts) parent(file string) (int, error) {
	if host := h.of(file); host != nil {
		return host(file)
	}
	return -1, unix.EXDEV
}

// making makes a name where none is.
func (b *Broker) making(p place, do func() error) error {
	return b.naming(p, do, func(e *journal.Entry) error { return e.Created(p.dir, p.path, p.name) })
}

// linking gives what file is another name.
func (b *Broker) linking(p place, file int, do func() error) error {
	var st unix.Stat_t
	_ = unix.Fstat(file, &st) // what comes after reports that it can't be looked at
	return b.naming(p, do, func(e *journal.Entry) error { return e.Linked(p.dir, p.path, p.name, file, st.Ctim.Nano()) })
}

func (b *Broker) naming(p place, do func() error, made func(*journal.Entry) error) error {
	e, _ := b.keeps(p.full())
	if e == nil {
		return do()
	}
	if err := e.Touch(p.dir, p.path); err != nil {
		return err
	}
	if err := do(); err != nil {
		return err
	}
	return made(e)
}

// removing takes a name away.
func (b *Broker) removing(p place, do func() error) error {
	e, host := b.keeps(p.full())
	if e == nil || p.isDir() {
		return do()
	}
	return e.Attempt(func() error { return e.Removing(p.dir, p.path, p.name, host) }, do)
}

// replacing gives a name another file, which do puts there.
func (b *Broker) replacing(dir int, where, name string, do func() error) error {
	p := place{dir: dir, path: where, name: name}
	return b.making(p, func() error { return b.removing(p, do) })
}

// moving renames.
func (b *Broker) moving(from, to place, flags uint) error {
	do := func() error { return unix.Renameat2(from.dir, from.tail(), to.dir, to.tail(), flags) }
	b.nests.forgetMoved(from)
	b.nests.forgetMoved(to)
	e, host := b.keeps(from.full())
	onto, toHost := b.keeps(to.full())
	taking := func() error { // what has the new name
		if onto == nil || flags&unix.RENAME_EXCHANGE != 0 {
			return nil
		}
		return onto.Removing(to.dir, to.path, to.name, toHost)
	}
	switch {
	case e == nil && onto == nil, sameName(from, to), flags&unix.RENAME_NOREPLACE != 0 && files.Exists(to.dir, to.name):
		return do()
	case e == nil: // into the workspace
		return onto.Attempt(taking, func() error { return b.making(to, do) })
	case onto == nil: // out of it
		return e.Attempt(func() error { return e.Removing(from.dir, from.path, from.name, host) }, do)
	case flags&unix.RENAME_EXCHANGE != 0:
		return e.Attempt(func() error { return e.Exchanging(from.dir, from.full(), to.dir, to.full()) }, do)
	}
	return e.Attempt(func() error {
		if err := taking(); err != nil {
			return err
		}
		return e.Renaming(from.dir, from.full(), to.dir, to.full())
	}, do)
}

// sameName says that both are names of one file: nothing is renamed. rename(2)
func sameName(from, to place) bool {
	var a, b unix.Stat_t
	return unix.Fstatat(from.dir, from.name, &a, unix.AT_SYMLINK_NOFOLLOW) == nil &&
		unix.Fstatat(to.dir, to.name, &b, unix.AT_SYMLINK_NOFOLLOW) == nil && a.Dev == b.Dev && a.Ino == b.Ino
}

// writing comes before what is held, and is at a path, is opened for writing, or written
// to at once.
func (b *Broker) writing(pin int, file string, opens int) error {
	if e, _ := b.keeps(file); e != nil {
		return e.Writing(pin, file, opens)
	}
	return nil
}

// changing comes before its mode, owner or times change, and attribute before an
// attribute does.
func (b *Broker) changing(pin int) error {
	return b.describing(pin, func(e *journal.Entry, file string) error { return e.Changing(pin, file) })
}

func (b *Broker) attribute(pin int, key string) error {
	return b.describing(pin, func(e *journal.Entry, file string) error { return e.Attribute(pin, file, key) })
}

func (b *Broker) describing(pin int, do func(e *journal.Entry, file string) error) error {
	if b.entry.Load() == nil {
		return nil
	}
	file, err := files.RealPath(pin)
	if err != nil {
		return nil
	}
	for _, r := range b.hosts.roots {
		if file == r.path { // the workspace's own mode
			return do(b.entry.Load(), file)
		}
	}
	if e, _ := b.keeps(path.Clean(file)); e != nil {
		return do(e, file)
	}
	return nil
}
