package canary

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/assess"
	"github.com/pillion-sidecar/pillion/sandbox/limits"
	"github.com/pillion-sidecar/pillion/sandbox/policy"
	"github.com/pillion-sidecar/pillion/sandbox/proc"
	"github.com/pillion-sidecar/pillion/sandbox/protect"
	"github.com/pillion-sidecar/pillion/sandbox/wire"
)

func leaveBehind(b Bait) {
	fmt.Println("daemon"+isPID, leave(b.Inside, wire.Daemon))
	time.Sleep(daemonSeen)
	fmt.Println(assess.AttemptOrphan+isPID, leave(b.Inside, wire.Orphan))
}

// daemonSeen is long enough for a look to see the daemon while its parent lives: what an
// orphan does not grant.
const daemonSeen = 3 * limits.Soonest

var attempts = slices.Concat(fileAttempts, socketAttempts, []attempt{
	{"xattr", func(b Bait) error { return unix.Setxattr(b.File, "pillion", []byte("x"), 0) }},
	{"protected", func(b Bait) error { return create(b.Inside, ".git/hooks/pre-commit") }},
	{"protectedCase", func(b Bait) error {
		err := create(b.Inside, ".GIT/hooks/pre-commit")
		if errors.Is(err, unix.ENOENT) { // a volume that distinguishes cases
			return unix.Mkdir(filepath.Join(b.Inside, ".GIT"), 0o700)
		}
		return err
	}},
	{"protectedRename", func(b Bait) error {
		if err := b.plant("aside"); err != nil {
			return err
		}
		return unix.Rename(filepath.Join(b.Inside, "aside"), filepath.Join(b.Inside, ".git/config"))
	}},
	{"protectedLink", func(b Bait) error {
		alias := filepath.Join(b.Inside, "alias")
		if err := unix.Link(filepath.Join(b.Inside, ".git/config"), alias); err != nil {
			return err
		}
		return OpenFile(alias, unix.O_WRONLY)
	}},
	{"protectedSwap", func(b Bait) error {
		if err := b.plant("swap"); err != nil {
			return err
		}
		return unix.RenamexNp(filepath.Join(b.Inside, "swap"), filepath.Join(b.Inside, ".git/config"), unix.RENAME_SWAP)
	}},
	{"environ", func(b Bait) error { return readEnvironment(b.PID) }},
	{"shm", func(b Bait) error {
		if b.Shm == 0 {
			return unix.EPERM // this system makes none: there is nothing to reach
		}
		_, err := unix.SysvShmAttach(b.Shm, 0, unix.SHM_RDONLY)
		return err
	}},
	{"mach", func(Bait) error { return lookUpService("com.apple.coreservices.launchservicesd") }},
	{"signal", func(b Bait) error { return unix.Kill(b.PID, unix.SIGURG) }}, // a real one, which Go's runtime sends itself all the time
	{"setuid", func(Bait) error { return runSetuid() }},
})

// plant makes a file of the canary's own, where it may make any at all.
func (b Bait) plant(name string) error { return create(b.Inside, name) }

// refusals are the errors by which the kernel says no. Any other means that the
// attempt proved nothing.
var refusals = []syscall.Errno{unix.EPERM, unix.EACCES, unix.ENOTSUP}

// Read turns what a canary said into facts.
func Read(out string, mode policy.Mode) (assess.Facts, error) {
	f := assess.Facts{Rung: policy.RungSeatbelt, Backend: []string{policy.BackendSeatbelt}}
	refused := func(_ string, errno syscall.Errno) bool { return slices.Contains(refusals, errno) }
	return read(out, f, mode, refused, ended)
}

// ended says that a process of the canary's is gone, and sees to it.
func ended(pid int) bool {
	for until := time.Now().Add(time.Second); time.Now().Before(until); time.Sleep(5 * time.Millisecond) {
		k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
		if err != nil || k.Proc.P_stat == proc.Zombie {
			return true
		}
	}
	_ = syscall.Kill(pid, syscall.SIGKILL)
	return false
}

// layMore adds a repository, the shared memory and a socket.
func (b *Bait) layMore(string) (open []io.Closer, err error) {
	if err := os.MkdirAll(filepath.Join(b.Inside, protect.DotGit, "hooks"), 0o700); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(b.Inside, protect.DotGit, "config"), []byte("bait"), 0o600); err != nil {
		return nil, err
	}
	if seg, err := b.shareMemory(); err == nil {
		open = append(open, seg)
	}
	// A socket's address holds 103 bytes; a temporary directory is short enough.
	short, err := os.MkdirTemp("/private/tmp", "pillion-")
	if err != nil {
		return open, err
	}
	open = append(open, tempDir(short))
	b.Path = filepath.Join(short, "s")
	l, err := net.Listen("unix", b.Path)
	if err != nil {
		return open, err
	}
	return append(open, l), nil
}

// tempDir is removed when it is closed.
type tempDir string

func (d tempDir) Close() error { return os.RemoveAll(string(d)) }

// sharedMemory is a segment that is removed when it is closed. It can't be before: who
// attaches it must be refused for what it is, and not because it is going.
type sharedMemory struct {
	id  int
	seg []byte
}

// shareMemory makes one that others of this user could attach.
func (b *Bait) shareMemory() (io.Closer, error) {
	id, err := unix.SysvShmGet(unix.IPC_PRIVATE, 4096, 0o600)
	if err != nil {
		return nil, err
	}
	seg, err := unix.SysvShmAttach(id, 0, 0)
	if err != nil {
		_, rerr := unix.SysvShmCtl(id, unix.IPC_RMID, nil)
		return nil, errors.Join(err, rerr)
	}
	b.Shm = id
	return sharedMemory{id, seg}, nil
}

func (s sharedMemory) Close() error {
	_, err := unix.SysvShmCtl(s.id, unix.IPC_RMID, nil)
	return errors.Join(err, unix.SysvShmDetach(s.seg))
}
