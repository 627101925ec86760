package mounts

import (
	"errors"
	"fmt"
	"os"
	"strconv"

	"github.com/pillion-sidecar/pillion/sandbox/policy"
	"golang.org/x/sys/unix"
)

// BuildRoot turns the calling process's fresh mount namespace into what the plan says: the
// process must have every capability over it, be in pid, ipc and user namespaces of its
// own, and have no other thread that opens files by path. It ends in the new root with the
// host's detached, and with what it takes to hide again what the host uncovers. On an
// error the host is unchanged, and the process can't be used any more.
func BuildRoot(p Plan) (*Masks, error) {
	if os.Getpid() != 1 {
		return nil, errors.New("mount plan: not in a pid namespace of our own; /proc would show the host's processes")
	}
	if len(p.steps) == 0 || p.steps[0].Path != "/" {
		return nil, errors.New("mount plan: it begins with no root")
	}
	old := unix.Umask(0)
	defer unix.Umask(old)
	// Private, not slave: a mount the host makes later would arrive below a
	// read-only bind with the host's own flags, that is, writable.
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return nil, fmt.Errorf("mount step private /: %w", err)
	}
	b, err := newBuild(p)
	if err != nil {
		return nil, err
	}
	defer b.close()
	for _, s := range p.steps[1:] {
		if err := b.do(s); err != nil {
			return nil, fmt.Errorf("mount step %s: %w", s, err)
		}
	}
	spare, err := b.spares()
	if err != nil {
		return nil, fmt.Errorf("mount step blank: %w", err)
	}
	return &Masks{Plan: p, Views: b.views, spare: spare}, b.pivot()
}

// build is a root in the making. Everything is addressed by descriptor: the new
// root is mounted over the old one, where no path leads.
type build struct {
	plan                       Plan
	host, blank, scratch, root int
	views                      map[string]int // what was mounted, by its path
}

func newBuild(p Plan) (b *build, err error) {
	b = &build{plan: p, host: -1, blank: -1, scratch: -1, root: -1, views: map[string]int{}}
	defer func() {
		if err != nil {
			b.close()
		}
	}()
	if b.host, err = unix.Open("/", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0); err != nil {
		return b, fmt.Errorf("open /: %w", err)
	}
	first := p.steps[0]
	if first.op == opTmpfs { // before anything covers the old root
		b.root, err = tmpfs(first)
	} else {
		b.root, err = cloneTree(b.host, ".", bindAttrs(first.op))
	}
	if err != nil {
		return b, fmt.Errorf("mount step %s: %w", first, err)
	}
	if b.blank, err = newBlank(); err != nil {
		return b, fmt.Errorf("mount step blank: %w", err)
	}
	if b.scratch, err = newScratch(p.scratch); err != nil {
		return b, fmt.Errorf("mount step scratch: %w", err)
	}
	if err = cover(b.root); err != nil {
		return b, fmt.Errorf("mount step %s: %w", first, err)
	}
	return b, nil
}

func (b *build) close() {
	for _, fd := range []int{b.host, b.blank, b.scratch, b.root} {
		if fd >= 0 {
			_ = unix.Close(fd)
		}
	}
}

func (b *build) do(s step) error {
	at := below(s.Path)
	switch s.op {
	case opDir:
		return makeDir(b.root, at, s.mode)
	case opFile:
		return makeFile(b.root, at, 0o644)
	case opLink:
		return makeLink(b.root, at, s.source)
	case opSeal:
		return setAttrs(b.root, at, unix.MOUNT_ATTR_RDONLY)
	case opView:
		if fd, err := b.view(s.Path); err == nil {
			b.views[s.Path] = fd
		}
		return nil // then the cache is as it was without a view: its own
	case opProc:
		fd, err := newProc()
		if err != nil {
			return err
		}
		return putProc(fd, b.root, at)
	}
	fd, err := b.tree(s)
	if err != nil {
		return err
	}
	if err = attach(fd, b.root, at); s.op == opClosed && policy.Beneath("/etc", s.Path) && errors.Is(err, unix.ENOENT) {
		return nil // useradd's lock, or another file for a moment; Mend hides what comes back
	}
	return err
}

// tree makes what a step mounts.
func (b *build) tree(s step) (int, error) {
	switch s.op {
	case opTmpfs:
		return tmpfs(s)
	case opTerminal:
		return newFS("devpts", unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NOEXEC, terminalOptions(b.plan.tty)...)
	case opScratch:
		return cloneTree(b.scratch, s.source, attrHarmless)
	case opBlank, opClosed:
		return cloneTree(b.blank, blankName(s), attrReadOnly)
	case opSocket:
		return cloneSocket(b.host, below(s.source))
	}
	return cloneTree(b.host, below(s.source), bindAttrs(s.op))
}

func bindAttrs(o mountOp) uint64 {
	switch o {
	case opWrite:
		return attrHarmless
	case opDevice:
		return attrDevice
	}
	return attrReadOnly
}

func tmpfs(s step) (int, error) {
	size := "size=1m" // directories, links and empty files take none of it
	if s.Path == "/run" {
		size = "size=64m"
	}
	return newFS("tmpfs", attrHarmless, size, "nr_inodes=64k", "mode="+strconv.FormatUint(uint64(s.mode), 8))
}

// terminalOptions: newinstance is what every devpts is since Linux 4.7; older
// ones would hand out the host's terminals without it.
func terminalOptions(group int) []string {
	o := []string{"newinstance", "ptmxmode=0666", "mode=0620"}
	if group >= 0 {
		o = append(o, "gid="+strconv.Itoa(group))
	}
	return o
}

// pivot makes the new root the process's and lets go of the host's, which the
// kernel leaves mounted over the new one. Unmounting follows what is mounted on
// top: what covers the old root has to go first, or it is all that goes and /..
// is the host. pivot_root(2)
func (b *build) pivot() error {
	if err := unix.Fchdir(b.root); err != nil {
		return fmt.Errorf("mount step pivot: fchdir: %w", err)
	}
	if err := unix.PivotRoot(".", "."); err != nil {
		return fmt.Errorf("mount step pivot: pivot_root: %w", err)
	}
	for _, fd := range []int{b.scratch, b.blank, b.host} {
		if err := unix.Fchdir(fd); err != nil {
			return fmt.Errorf("mount step pivot: fchdir to the old root: %w", err)
		}
		if err := unix.Unmount(".", unix.MNT_DETACH); err != nil {
			return fmt.Errorf("mount step pivot: detach the old root: %w", err)
		}
	}
	if err := unix.Chdir("/"); err != nil {
		return fmt.Errorf("mount step pivot: chdir: %w", err)
	}
	return nothingAbove()
}

// nothingAbove checks that the old root is really gone: up from the root is the
// root, on the same mount.
func nothingAbove() error {
	var root, up unix.Statx_t
	if err := unix.Statx(unix.AT_FDCWD, "/", 0, unix.STATX_INO|unix.STATX_MNT_ID, &root); err != nil {
		return fmt.Errorf("mount step pivot: stat /: %w", err)
	}
	if err := unix.Statx(unix.AT_FDCWD, "/..", 0, unix.STATX_INO|unix.STATX_MNT_ID, &up); err != nil {
		return fmt.Errorf("mount step pivot: stat /..: %w", err)
	}
	if root.Mnt_id != up.Mnt_id || root.Ino != up.Ino {
		return errors.New("mount step pivot: the old root is still mounted")
	}
	return nil
}
