package broker

import (
	"errors"
	"os"
	"path"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/files"
	"github.com/pillion-sidecar/pillion/sandbox/policy"
	"github.com/pillion-sidecar/pillion/sandbox/protect"
	"github.com/pillion-sidecar/pillion/sandbox/settings"
)

// copied is a text that a command is writing: into a file without a name, which only
// it sees. Whenever the copy has changed and passes, it is written anew under the name.
// A command that is killed, or a broker, leaves what was there before.
type copied struct {
	fd, dir int
	name    string
	where   string // the directory's path when it was opened
	kind    protect.TextKind
	mode    uint32
	before  string // what stood under the name first
	stands  string // what should be there now
	seen    string // the copy, when it was judged last
	why     error  // what was wrong with it
}

// maxCopies bounds the descriptors held for one command.
const maxCopies = 64

// openText opens the copy of a text. There is one for each name, so that who appends
// to it later goes on where it ends.
func (a *request) openText(p place, kind protect.TextKind, flags int, mode uint32) (int, error) {
	c, err := a.copyOf(p, kind, mode)
	if err != nil {
		return -1, err
	}
	if flags&unix.O_TRUNC != 0 {
		if err := unix.Ftruncate(c.fd, 0); err != nil {
			return -1, err
		}
	}
	how := flags & (accessMode | unix.O_APPEND | unix.O_NONBLOCK | unix.O_SYNC)
	return unix.Openat(files.OwnFDs(), strconv.Itoa(c.fd), how|unix.O_CLOEXEC, 0)
}

func (a *request) copyOf(p place, kind protect.TextKind, mode uint32) (*copied, error) {
	if c := a.b.copyAt(p.dir, p.name); c != nil {
		return c, nil
	}
	if len(a.b.copies) >= maxCopies {
		a.b.forgetCopies()
	}
	if len(a.b.copies) >= maxCopies {
		return nil, unix.EMFILE
	}
	fd, err := files.Unnamed("text")
	if err != nil {
		return nil, err
	}
	c := &copied{fd: fd, dir: -1, name: p.name, where: p.path, kind: kind, mode: mode &^ uint32(a.b.umask.current)}
	if text, had, err := readSmall(p.dir, p.name); err == nil {
		c.before, c.stands, c.seen, c.mode = text, text, text, had
		_, err = unix.Write(fd, []byte(text))
		if err != nil {
			_ = unix.Close(fd)
			return nil, err
		}
	}
	if c.dir, err = unix.FcntlInt(uintptr(p.dir), unix.F_DUPFD_CLOEXEC, 0); err != nil {
		_ = unix.Close(fd)
		return nil, err
	}
	a.b.dirty.Store(true)
	a.b.copies = append(a.b.copies, c)
	return c, nil
}

func (b *Broker) copyAt(dir int, name string) *copied {
	for _, c := range b.copies {
		if c.name == name && files.Same(c.dir, dir) {
			return c
		}
	}
	return nil
}

// takeTexts judges the copies that have changed. At the end of a command it says
// which of them were not taken, and forgets all.
func (b *Broker) takeTexts(end bool) {
	for _, c := range b.copies {
		b.takeText(c)
		if end && c.why != nil {
			b.seen.Add(policy.Violation{
				Op: "write", Path: path.Join(c.where, c.name), Rule: protect.DotGit, Attribution: policy.AttributionReported,
				Grant: "none: not taken, " + c.why.Error(),
			})
		}
	}
	if end {
		for _, c := range b.copies {
			c.close()
		}
		b.copies = nil
	}
}

func (c *copied) close() {
	_ = unix.Close(c.fd)
	_ = unix.Close(c.dir)
}

// forgetCopies lets go of those that were taken.
func (b *Broker) forgetCopies() {
	kept := b.copies[:0]
	for _, c := range b.copies {
		if c.why != nil {
			kept = append(kept, c)
			continue
		}
		c.close()
	}
	b.copies = kept
}

func (b *Broker) takeText(c *copied) {
	var buf [protect.MaxConfig + 1]byte
	n, err := unix.Pread(c.fd, buf[:], 0)
	if text := string(buf[:max(n, 0)]); err == nil && text != c.seen {
		c.seen = text
		c.why = b.takeNow(c, text)
	}
}

func (b *Broker) takeNow(c *copied, text string) error {
	where, err := files.RealPath(c.dir)
	if err != nil {
		return err
	}
	if now, _, err := readSmall(c.dir, c.name); now != c.stands || err != nil && err != unix.ENOENT {
		return errors.New("somebody else has changed it meanwhile")
	}
	if err := b.judgeText(c.kind, where, c.dir, c.name, c.before, text); err != nil {
		return err
	}
	if text == c.stands {
		return nil
	}
	err = b.replacing(c.dir, where, c.name, func() error { return replaceFile(c.dir, c.name, text, c.mode) })
	if err != nil {
		return err
	}
	c.stands = text
	fd, err := files.OpenPlain(c.dir, c.name, unix.O_PATH)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(fd) }()
	return b.made.add(fd, madeDir{dir: -1})
}

// judgeText says what is wrong with a text for a name in a directory, which may have
// been moved since.
func (b *Broker) judgeText(kind protect.TextKind, where string, dir int, name, before, text string) error {
	r, rel, ok := b.within(where)
	if !ok || !r.protected {
		return errors.New("not in the workspace any more")
	}
	if kind == protect.TextSame {
		if text != before {
			return errors.New("the user's own settings point to it")
		}
		return nil
	}
	if settings.DirOf(dir).Zone(strings.TrimPrefix(rel+"/"+name, "/")).Text != kind {
		return errors.New("the place means something else now")
	}
	switch kind {
	case protect.TextConfig:
		return b.judgeConfig(where, dir, before, text)
	case protect.TextPointer:
		return b.judgePointer(where, before, text)
	case protect.TextCommon:
		if strings.TrimSuffix(text, "\n") != "../.." {
			return settings.ErrElsewhere
		}
		return (&request{b: b}).completes(where, dir, "commondir")
	case protect.TextModules:
		return protect.JudgeModules(before, text)
	case protect.TextAlternates:
		return b.judgeAlternates(where, text)
	case protect.TextBack:
		return b.judgeBack(where, text)
	default:
		return protect.JudgeState(name, before, text)
	}
}

// judgeBack checks that a worktree's place is in the workspace: git worktree remove
// deletes what is named there.
func (b *Broker) judgeBack(where, text string) error {
	to, whole := strings.CutSuffix(text, "\n")
	if !whole || strings.ContainsAny(to, "\n\x00") || path.Base(to) != protect.DotGit {
		return errors.New("not the way to a .git file")
	}
	if !path.IsAbs(to) {
		to = path.Join(where, to)
	}
	if r, _, ok := b.within(path.Clean(to)); !ok || !r.protected {
		return errors.New("leads out of the workspace")
	}
	return files.CheckDirect(path.Dir(to))
}

// judgeAlternates checks that more objects come from git directories of the workspace:
// git shows, and sends, what it finds by them.
func (b *Broker) judgeAlternates(where, text string) error {
	for line := range strings.Lines(text) {
		if line = strings.TrimSuffix(line, "\n"); line == "" || line[0] == '#' {
			continue
		}
		if !path.IsAbs(line) {
			line = path.Join(path.Dir(where), line) // of objects, not of info
		}
		r, _, ok := b.within(line)
		if !ok || !r.protected || path.Base(line) != "objects" || path.Clean(line) != line {
			return errors.New("leads to no repository of the workspace")
		}
		dir, err := files.OpenPlain(unix.AT_FDCWD, path.Dir(line), unix.O_PATH|unix.O_DIRECTORY)
		if err != nil {
			return err
		}
		inGit := settings.DirOf(dir).IsGit(0, "")
		_ = unix.Close(dir)
		if !inGit {
			return errors.New("leads to no repository of the workspace")
		}
	}
	return nil
}

// judgePointer checks that a .git file leads into the workspace, where all git
// directories are protected, and one that was there to where it has led.
func (b *Broker) judgePointer(where, before, text string) error {
	target, err := protect.PointerTarget(text, where)
	if err != nil {
		return err
	}
	if old, err := protect.PointerTarget(before, where); before != "" && (err != nil || old != target) {
		return errors.New("leads to another repository than before")
	}
	if !protect.StaysThere(text) {
		return errors.New("can be made to lead elsewhere")
	}
	if r, _, ok := b.within(target); !ok || !r.protected {
		return errors.New("leads out of the workspace")
	}
	return directPrefix(target)
}

// directPrefix checks that no link is on a path, as far as it is there: below .git links
// can't be made.
func directPrefix(name string) error {
	for ; ; name = path.Dir(name) {
		err := files.CheckDirect(name)
		if !errors.Is(err, unix.ENOENT) {
			return err
		}
	}
}

func readSmall(dir int, name string) (string, uint32, error) {
	return files.Read(dir, name, protect.MaxConfig)
}

// replaceFile puts a new file with the text under the name, in one step.
func replaceFile(dir int, name, text string, mode uint32) error {
	return replaceBy(dir, name, mode, func(f *os.File) error {
		_, err := f.WriteString(text)
		return err
	})
}

// replaceBy does so with what fill writes.
func replaceBy(dir int, name string, mode uint32, fill func(*os.File) error) error {
	fresh := name + protect.FreshSuffix
	_ = unix.Unlinkat(dir, fresh, 0)
	fd, err := unix.Openat(dir, fresh, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return err
	}
	f := os.NewFile(uintptr(fd), fresh)
	if err = errors.Join(fill(f), unix.Fchmod(fd, mode&0o777), f.Close()); err == nil {
		err = unix.Renameat(dir, fresh, dir, name)
	}
	if err != nil {
		_ = unix.Unlinkat(dir, fresh, 0)
	}
	return err
}
