package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

func canaryMain(args []string) int {
	if len(args) == 1 { // mode off: it is only asked to run
		return 0
	}
	if len(args) != 10 {
		return 2
	}
	b := bait{file: args[1], inside: args[2], abstract: args[5], path: args[6], secret: args[8]}
	b.tcp, _ = strconv.Atoi(args[3])
	b.udp, _ = strconv.Atoi(args[4])
	b.pid, _ = strconv.Atoi(args[7])
	b.shm, _ = strconv.Atoi(args[9])
	for _, a := range attempts {
		var errno syscall.Errno
		if err := a.try(b); err != nil && !asErrno(err, &errno) {
			errno = syscall.EINVAL
		}
		fmt.Println(a.name, int(errno))
	}
	return 0
}

var attempts = []struct {
	name string
	try  func(bait) error
}{
	{"write", func(b bait) error { return openFile(b.file, unix.O_WRONLY) }},
	{"read", func(b bait) error { return openFile(b.secret, unix.O_RDONLY) }},
	{"truncate", func(b bait) error { return unix.Truncate(b.file, 0) }},
	{"rename", func(b bait) error { return unix.Rename(b.file, b.file+"2") }},
	{"chmod", func(b bait) error { return unix.Chmod(b.file, 0o644) }},
	{"utime", func(b bait) error { return unix.Utimes(b.file, make([]unix.Timeval, 2)) }},
	{"xattr", func(b bait) error { return unix.Setxattr(b.file, "user.pillion", []byte("x"), 0) }},
	{"inside", func(b bait) error {
		return openFile(filepath.Join(b.inside, "canary"), unix.O_CREAT|unix.O_WRONLY)
	}},
	{"environ", func(b bait) error { return openFile(fmt.Sprintf("/proc/%d/environ", b.pid), unix.O_RDONLY) }},
	{"tcp", func(b bait) error {
		return connect(unix.AF_INET, unix.SOCK_STREAM, &unix.SockaddrInet4{Port: b.tcp, Addr: [4]byte{127, 0, 0, 1}})
	}},
	{"udp", func(b bait) error {
		return datagram(&unix.SockaddrInet4{Port: b.udp, Addr: [4]byte{127, 0, 0, 1}})
	}},
	{"abstract", func(b bait) error {
		return connect(unix.AF_UNIX, unix.SOCK_STREAM, &unix.SockaddrUnix{Name: "@" + b.abstract})
	}},
	{"unixPath", func(b bait) error {
		return connect(unix.AF_UNIX, unix.SOCK_STREAM, &unix.SockaddrUnix{Name: b.path})
	}},
	{"shm", func(b bait) error { _, err := unix.SysvShmAttach(b.shm, 0, unix.SHM_RDONLY); return err }},
	{"signal", func(b bait) error { return unix.Kill(b.pid, 0) }},
	{"signalThread", func(bait) error { return signalKeeper() }},
	{"prlimit", func(b bait) error {
		var l unix.Rlimit
		if err := unix.Prlimit(0, unix.RLIMIT_CPU, nil, &l); err != nil {
			return unix.EINVAL // reading our own must work, else this says nothing
		}
		return unix.Prlimit(b.pid, unix.RLIMIT_CPU, &l, nil)
	}},
	{"ptrace", func(b bait) error { // SEIZE, because it does not stop the sidecar if it works
		_, _, errno := unix.RawSyscall6(unix.SYS_PTRACE, unix.PTRACE_SEIZE, uintptr(b.pid), 0, 0, 0, 0)
		return nonZero(errno)
	}},
	{"userns", func(bait) error { return cloneNamespace() }},
	{"ioUring", func(bait) error {
		var params [120]byte
		_, _, errno := unix.RawSyscall(unix.SYS_IO_URING_SETUP, 1, uintptr(unsafe.Pointer(&params)), 0)
		return nonZero(errno)
	}},
	{"mount", func(b bait) error { return unix.Mount("none", b.inside, "tmpfs", 0, "") }},
	{"daemon", func(b bait) error { return startDaemon(b.inside) }},
}

func openFile(path string, flags int) error {
	fd, err := unix.Open(path, flags|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return err
	}
	return unix.Close(fd)
}

func connect(family, kind int, to unix.Sockaddr) error {
	fd, err := unix.Socket(family, kind|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return unix.Connect(fd, to)
}

// datagram sends one. Where nobody listens, the kernel says so to the next send.
func datagram(to unix.Sockaddr) error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	if err := unix.Connect(fd, to); err != nil {
		return err
	}
	for range 2 {
		if _, err := unix.Write(fd, []byte("x")); err != nil {
			return err
		}
	}
	return nil
}

// signalKeeper tries every thread of our parent with every call that can name
// one, and returns the first success or the last refusal.
func signalKeeper() error {
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

// startDaemon leaves a process in a session of its own behind, with our output.
// The attempt is refused when the self-test finds that output at its end.
func startDaemon(inside string) error {
	_, err := syscall.ForkExec("/proc/self/exe", []string{daemonName}, &syscall.ProcAttr{
		Dir: inside, Files: []uintptr{0, 1, 2}, Sys: &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		return unix.EINVAL
	}
	return nil
}

func daemonMain() int {
	time.Sleep(time.Minute)
	return 0
}

func nonZero(e syscall.Errno) error {
	if e != 0 {
		return e
	}
	return nil
}

func asErrno(err error, to *syscall.Errno) bool {
	e, ok := err.(syscall.Errno)
	*to = e
	return ok
}
