package sandbox

import (
	"errors"
	"io"
	"os"
	"path"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// ended is called when the last process of a command is gone: what it made of
// repositories is vetted, and the next command begins like this one did.
func (b *broker) ended() {
	for _, n := range b.young.list {
		b.vet(n)
	}
	for _, n := range b.young.list { // only now: each may be part of another
		n.close()
	}
	b.young.list = nil
	for _, f := range b.waiting {
		_ = unix.Close(f.pin)
	}
	b.waiting = nil
	b.umask.reset()
}

// vet looks at one newborn, where it is now; one that was removed, or moved to
// where nothing is protected, needs none. A path may be too long for the kernel to
// say: what is there is judged by what is known of it, for it may come back.
func (b *broker) vet(n newborn) {
	var st unix.Stat_t
	if unix.Fstat(n.fd, &st) != nil || st.Nlink == 0 {
		return
	}
	top, rel := "", n.rel
	if where, err := realPath(n.fd); err == nil && !n.lock {
		r, below, ok := b.within(where)
		if !ok || !r.protected {
			return
		}
		top, rel = r.path, below
	}
	if n.dir < 0 {
		b.vetDir(n.fd, top, rel)
		return
	}
	defer unlock(n.dir)()
	at, err := unix.Openat(n.dir, path.Base(rel), unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return // the host has removed it
	}
	defer func() { _ = unix.Close(at) }()
	switch {
	case !sameFile(at, n.fd):
	case n.lock: // left by a git that was killed; no later command could remove it
		_ = unix.Unlinkat(n.dir, path.Base(rel), 0)
	default:
		b.vetEntry(n.dir, top, rel, path.Base(rel))
	}
}

// vetDir goes through what is not free of a git directory.
func (b *broker) vetDir(dir int, top, rel string) {
	defer unlock(dir)()
	fd, err := unix.Openat(dir, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	f := os.NewFile(uintptr(fd), rel)
	defer f.Close()
	names, _ := f.Readdirnames(-1)
	for _, name := range names {
		if below := rel + "/" + name; !locate(below).free() {
			b.vetEntry(fd, top, below, name)
		}
	}
}

// unlock gives the owner every right to a directory, until what it returns is
// called. The command chose the mode: without one of them nothing in there could be
// seen or moved away, and git reads what it knows by name, root everything.
func unlock(dir int) (lock func()) {
	var st unix.Stat_t
	if unix.Fstat(dir, &st) != nil || st.Mode&0o700 == 0o700 {
		return func() {}
	}
	set := func(mode uint32) { _ = unix.Fchmodat(ownFDs(), strconv.Itoa(dir), mode&0o7777, 0) }
	set(st.Mode | 0o700)
	return func() { set(st.Mode) }
}

func (b *broker) vetEntry(dir int, top, rel, name string) {
	var st unix.Stat_t
	if unix.Fstatat(dir, name, &st, unix.AT_SYMLINK_NOFOLLOW) != nil {
		return
	}
	var err error
	switch kind := st.Mode & unix.S_IFMT; {
	case kind == unix.S_IFDIR:
		if fd, err := unix.Openat(dir, name, unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0); err == nil {
			b.vetDir(fd, top, rel)
			_ = unix.Close(fd)
		}
		return
	case kind != unix.S_IFREG:
		err = errors.New("not a regular file")
	default:
		err = b.vetFile(dir, name, top, rel, st.Mode)
	}
	if err != nil {
		b.quarantine(dir, name, path.Join(top, rel), locate(rel).rule, err)
	}
}

// vetFile reads a file that git follows or executes. One that passes is put back
// as a new file with the text that was read: whoever still holds the old one open
// (a descriptor passed to another command) changes nothing any more.
func (b *broker) vetFile(dir int, name, top, rel string, mode uint32) error {
	rule := locate(rel).rule
	switch {
	case rule == dotGit+"/hooks":
		if strings.HasSuffix(canonical(name), ".sample") {
			return nil
		}
		return errors.New("a hook")
	case rule == dotGit+"/remotes", rule == dotGit+"/branches":
		return errors.New("a remote of the old form")
	case rule == dotGit+"/info", rule == dotGit+"/modules", canonical(name) == "gitdir":
		return nil // says nothing that git runs
	}
	text, err := readSmall(dir, name)
	if err != nil {
		return err
	}
	switch rule {
	case dotGit:
		err = b.vetPointer(text, path.Join(top, path.Dir(rel)))
	case dotGit + "/commondir":
		if path.Base(path.Dir(path.Dir(rel))) != "worktrees" || strings.TrimSuffix(text, "\n") != "../.." {
			err = errors.New("leads to another repository")
		}
	default:
		err = vetConfig(text, func(p string) bool { return b.leadsBack(top, path.Dir(rel), p) })
	}
	if err != nil {
		return err
	}
	return replaceFile(dir, name, text, mode)
}

// vetPointer checks that a .git file leads to where git directories are protected.
func (b *broker) vetPointer(text, dir string) error {
	target, err := pointerTarget(text, dir)
	if err != nil {
		return err
	}
	if !staysThere(text) {
		return errors.New("can be made to lead elsewhere")
	}
	if err := directPath(target); err != nil {
		return err
	}
	if r, rel, ok := b.within(target); !ok || !r.protected || !isLinkedGitDir(rel) {
		return errors.New("leads to a directory that is not protected")
	}
	return nil
}

// leadsBack says that a core.worktree is the way from a submodule's git directory to
// its files, as git writes it, for no other repository has one. Behind a link the next
// git checkout would write wherever the link leads.
func (b *broker) leadsBack(top, gitDir, way string) bool {
	to := path.Join(top, gitDir, way)
	r, _, ok := b.within(to)
	return ok && r.protected && isLinkedGitDir(gitDir) && path.Clean(way) == way && !path.IsAbs(way) && directPath(to) == nil
}

// directPath says why a path is no directory that is reached without any link.
func directPath(name string) error {
	fd, err := openPlain(unix.AT_FDCWD, name, unix.O_PATH|unix.O_DIRECTORY)
	if err != nil {
		return err
	}
	_ = unix.Close(fd)
	return nil
}

func readSmall(dir int, name string) (string, error) {
	fd, err := unix.Openat(dir, name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return "", err
	}
	f := os.NewFile(uintptr(fd), name)
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxConfig+1))
	return string(text), err
}

// replaceFile puts a new file with the text under the name, in one step.
func replaceFile(dir int, name, text string, mode uint32) error {
	fresh := name + freshSuffix
	_ = unix.Unlinkat(dir, fresh, 0)
	fd, err := unix.Openat(dir, fresh, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return err
	}
	f := os.NewFile(uintptr(fd), fresh)
	_, err = f.WriteString(text)
	if err = errors.Join(err, unix.Fchmod(fd, mode&0o777), f.Close()); err == nil {
		err = unix.Renameat(dir, fresh, dir, name)
	}
	if err != nil {
		_ = unix.Unlinkat(dir, fresh, 0)
	}
	return err
}
