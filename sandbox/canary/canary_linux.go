package canary

import (
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/assess"
	"github.com/pillion-sidecar/pillion/sandbox/policy"
	"github.com/pillion-sidecar/pillion/sandbox/wire"
)

var attempts = slices.Concat(fileAttempts, socketAttempts, []attempt{
	{"xattr", func(b Bait) error { return unix.Setxattr(b.File, "user.pillion", []byte("x"), 0) }},
	{"environ", func(b Bait) error { return OpenFile(fmt.Sprintf("/proc/%d/environ", b.PID), unix.O_RDONLY) }},
	{"abstract", func(b Bait) error {
		return connect(unix.AF_UNIX, unix.SOCK_STREAM, &unix.SockaddrUnix{Name: "@" + b.Abstract})
	}},
	{"shm", func(b Bait) error { _, err := unix.SysvShmAttach(b.Shm, 0, unix.SHM_RDONLY); return err }},
	{"signal", func(b Bait) error { return unix.Kill(b.PID, 0) }},
	{"signalThread", func(Bait) error { return SignalRunner() }},
	{"prlimit", func(b Bait) error {
		var l unix.Rlimit
		if err := unix.Prlimit(0, unix.RLIMIT_CPU, nil, &l); err != nil {
			return unix.EINVAL // reading our own must work, else this proves nothing
		}
		return unix.Prlimit(b.PID, unix.RLIMIT_CPU, &l, nil)
	}},
	{"ptrace", func(b Bait) error { // SEIZE, because it does not stop the sidecar if it works
		_, _, errno := unix.RawSyscall6(unix.SYS_PTRACE, unix.PTRACE_SEIZE, uintptr(b.PID), 0, 0, 0, 0)
		return nonZero(errno)
	}},
	{"userns", func(Bait) error { return cloneNamespace() }},
	{"ioUring", func(Bait) error {
		var params [120]byte
		_, _, errno := unix.RawSyscall(unix.SYS_IO_URING_SETUP, 1, uintptr(unsafe.Pointer(&params)), 0)
		return nonZero(errno)
	}},
	{"mount", func(b Bait) error { return unix.Mount("none", b.Inside, "tmpfs", 0, "") }},
	{"daemon", func(b Bait) error { return startDaemon(b.Inside) }},
})

func leaveBehind(Bait) {}

func orphan() int { return 2 }

// SignalRunner tries every thread of our parent with every call that can name
// one, and returns the first success or the last refusal.
func SignalRunner() error {
	parent := os.Getppid()
	tasks, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", parent))
	if err != nil || len(tasks) == 0 {
		return unix.EINVAL
	}
	refusal := error(unix.EINVAL)
	for _, t := range tasks {
		tid, _ := strconv.Atoi(t.Name())
		for _, err := range []error{unix.Kill(tid, 0), unix.Tgkill(parent, tid, 0), tkill(tid)} {
			if err == nil {
				return nil
			}
			refusal = err
		}
	}
	return refusal
}

func tkill(tid int) error {
	_, _, errno := unix.RawSyscall(unix.SYS_TKILL, uintptr(tid), 0, 0)
	return nonZero(errno)
}

// cloneNamespace asks for a user namespace in a child that ends at once.
func cloneNamespace() error {
	runtime.LockOSThread()
	pid, _, errno := unix.RawSyscall6(unix.SYS_CLONE, unix.CLONE_NEWUSER|uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0)
	if errno == 0 && pid == 0 {
		unix.RawSyscall(unix.SYS_EXIT_GROUP, 0, 0, 0)
	}
	return nonZero(errno)
}

// startDaemon leaves a process in a session of its own, with our output. The attempt is
// refused when the self-test finds that output at its end.
func startDaemon(inside string) error {
	_, err := syscall.ForkExec("/proc/self/exe", []string{wire.Daemon}, &syscall.ProcAttr{
		Dir: inside, Files: []uintptr{0, 1, 2}, Sys: &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		return unix.EINVAL
	}
	return nil
}

// refusals are the errors by which the mechanisms say no. Any other error means
// that the attempt proved nothing.
var refusals = []syscall.Errno{unix.EPERM, unix.EACCES, unix.ENOSYS, unix.EOPNOTSUPP, unix.EROFS}

// absences are the errors by which a namespace says that what was asked for is
// not in it.
var absences = map[string]syscall.Errno{
	"read": unix.ENOENT, "environ": unix.ENOENT, "unixPath": unix.ENOENT,
	"tcp": unix.ECONNREFUSED, "udp": unix.ECONNREFUSED, "abstract": unix.ECONNREFUSED,
	"signal": unix.ESRCH, "signalThread": unix.ESRCH, "prlimit": unix.ESRCH, "ptrace": unix.ESRCH,
	"shm": unix.EINVAL,
}

// Refused says whether an attempt's errno proves that it can't be done on a rung.
func Refused(rung, attempt string, errno syscall.Errno) bool {
	return slices.Contains(refusals, errno) || rung != policy.RungNoUserns && errno != 0 && absences[attempt] == errno
}

// Read turns what a canary said into facts.
func Read(out, rung string, mode policy.Mode) (assess.Facts, error) {
	refused := func(name string, errno syscall.Errno) bool { return Refused(rung, name, errno) }
	return read(out, assess.Facts{Rung: rung}, mode, refused, nil)
}

// layMore adds the sockets and the shared memory.
func (b *Bait) layMore(dir string) (open []io.Closer, err error) {
	b.Abstract, b.Path = "pillion-"+filepath.Base(dir), filepath.Join(dir, "socket")
	if seg := b.shareMemory(); seg != nil { // a kernel without has nothing to reach
		open = append(open, seg)
	}
	// A socket's address holds 107 bytes at most; the directory's descriptor
	// keeps a deep state directory below that.
	d, err := os.Open(dir)
	if err != nil {
		return open, err
	}
	defer d.Close()
	short := fmt.Sprintf("/proc/self/fd/%d/%s", d.Fd(), filepath.Base(b.Path))
	for _, name := range []string{"@" + b.Abstract, short} {
		l, err := net.Listen("unix", name)
		if err != nil {
			return open, err
		}
		open = append(open, l)
	}
	return open, nil
}

// sharedMemory is a segment that goes with its last user.
type sharedMemory []byte

func (b *Bait) shareMemory() io.Closer {
	id, err := unix.SysvShmGet(unix.IPC_PRIVATE, 4096, 0o600)
	if err != nil {
		return nil
	}
	defer func() { _, _ = unix.SysvShmCtl(id, unix.IPC_RMID, nil) }() // should we be killed, nothing is left
	seg, err := unix.SysvShmAttach(id, 0, 0)
	if err != nil {
		return nil
	}
	b.Shm = id
	return sharedMemory(seg)
}

func (s sharedMemory) Close() error { return unix.SysvShmDetach(s) }

func nonZero(e syscall.Errno) error {
	if e != 0 {
		return e
	}
	return nil
}
