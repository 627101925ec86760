package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

func canaryMain(args []string) int {
	b, ok := parseBait(args)
	if !ok {
		return 2
	}
	for _, a := range attempts {
		var errno syscall.Errno
		if err := a.try(b); err != nil && !errors.As(err, &errno) {
			errno = unix.EINVAL
		}
		fmt.Println(a.name, int(errno))
	}
	fmt.Println("daemon", leave(b.inside, daemonName))
	time.Sleep(daemonSeen)
	fmt.Println(attemptOrphan, leave(b.inside, orphanName))
	return 0
}

// daemonSeen is long enough for somebody who looks to see the daemon while its parent
// lives: what an orphan does not grant.
const daemonSeen = 3 * soonest

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
	{"xattr", func(b bait) error { return unix.Setxattr(b.file, "pillion", []byte("x"), 0) }},
	{"inside", func(b bait) error { return create(b.inside, "canary") }},
	{"protected", func(b bait) error { return create(b.inside, ".git/hooks/pre-commit") }},
	{"protectedCase", func(b bait) error {
		err := create(b.inside, ".GIT/hooks/pre-commit")
		if errors.Is(err, unix.ENOENT) { // a volume that tells cases apart
			return unix.Mkdir(filepath.Join(b.inside, ".GIT"), 0o700)
		}
		return err
	}},
	{"protectedRename", func(b bait) error {
		if err := b.plant("aside"); err != nil {
			return err
		}
		return unix.Rename(filepath.Join(b.inside, "aside"), filepath.Join(b.inside, ".git/config"))
	}},
	{"protectedLink", func(b bait) error {
		alias := filepath.Join(b.inside, "alias")
		if err := unix.Link(filepath.Join(b.inside, ".git/config"), alias); err != nil {
			return err
		}
		return openFile(alias, unix.O_WRONLY)
	}},
	{"protectedSwap", func(b bait) error {
		if err := b.plant("swap"); err != nil {
			return err
		}
		return unix.RenamexNp(filepath.Join(b.inside, "swap"), filepath.Join(b.inside, ".git/config"), unix.RENAME_SWAP)
	}},
	{"environ", func(b bait) error { return readEnvironment(b.pid) }},
	{"tcp", func(b bait) error {
		return connect(unix.AF_INET, unix.SOCK_STREAM, &unix.SockaddrInet4{Port: b.tcp, Addr: [4]byte{127, 0, 0, 1}})
	}},
	{"udp", func(b bait) error { return datagram(&unix.SockaddrInet4{Port: b.udp, Addr: [4]byte{127, 0, 0, 1}}) }},
	{"unixPath", func(b bait) error {
		return connect(unix.AF_UNIX, unix.SOCK_STREAM, &unix.SockaddrUnix{Name: b.path})
	}},
	{"shm", func(b bait) error {
		if b.shm == 0 {
			return unix.EPERM // this system makes none: there is nothing to reach
		}
		_, err := unix.SysvShmAttach(b.shm, 0, unix.SHM_RDONLY)
		return err
	}},
	{"mach", func(bait) error { return lookUpService("com.apple.coreservices.launchservicesd") }},
	{"signal", func(b bait) error { return unix.Kill(b.pid, unix.SIGURG) }}, // a real one, which Go's runtime sends itself all the time
	{"setuid", func(bait) error { return runSetuid() }},
}

// plant makes a file of the canary's own, where it may make any at all.
func (b bait) plant(name string) error { return create(b.inside, name) }

func create(dir, name string) error {
	return openFile(filepath.Join(dir, name), unix.O_CREAT|unix.O_WRONLY)
}

func openFile(path string, flags int) error {
	fd, err := unix.Open(path, flags|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return err
	}
	return unix.Close(fd)
}

func connect(family, kind int, to unix.Sockaddr) error {
	fd, err := unix.Socket(family, kind, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return unix.Connect(fd, to)
}

func datagram(to unix.Sockaddr) error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return unix.Sendto(fd, []byte("x"), 0, to)
}

// readEnvironment asks for the arguments and the environment of a process, by the
// call itself: looking up the numbers by a name is another right. sysctl(3)
func readEnvironment(pid int) error {
	const kernProcargs2 = 49
	mib := []int32{unix.CTL_KERN, kernProcargs2, int32(pid)}
	buf := make([]byte, 64<<10)
	size := uintptr(len(buf))
	fn := symbol("sysctl")
	if fn == 0 {
		return unix.EINVAL
	}
	r, _, errno := syscall_syscall6(fn, uintptr(unsafe.Pointer(&mib[0])), uintptr(len(mib)), uintptr(unsafe.Pointer(&buf[0])), uintptr(unsafe.Pointer(&size)), 0, 0)
	runtime.KeepAlive(mib)
	runtime.KeepAlive(buf)
	runtime.KeepAlive(&size)
	if int32(r) == 0 {
		return nil
	}
	return errno
}

// Answers of launchd to one that may not look a service up, and to one for whom there
// is none: it does not always tell the two apart. bootstrap.h
const (
	bootstrapNotPrivileged  = 1100
	bootstrapUnknownService = 1102
)

// lookUpService asks for a service that every Mac has, one that starts programs for
// its callers.
func lookUpService(name string) error {
	fn, port := symbol("bootstrap_look_up"), variable("bootstrap_port", 0)
	if fn == 0 || port == 0 {
		return unix.EINVAL
	}
	service, found := append([]byte(name), 0), make([]uint32, 1)
	r, _, _ := syscall_syscall6(fn, uintptr(port), uintptr(unsafe.Pointer(&service[0])), uintptr(unsafe.Pointer(&found[0])), 0, 0, 0)
	runtime.KeepAlive(service)
	runtime.KeepAlive(found)
	switch int32(r) {
	case 0:
		return nil
	case bootstrapNotPrivileged, bootstrapUnknownService:
		return unix.EPERM
	}
	return unix.EINVAL
}

// runSetuid starts a program that would be root's.
func runSetuid() error {
	for _, program := range [][]string{{"/bin/ps"}, {"/usr/bin/sudo", "-V"}, {"/usr/bin/top", "-h"}} {
		var st unix.Stat_t
		if err := unix.Stat(program[0], &st); err != nil || st.Mode&unix.S_ISUID == 0 || st.Uid != 0 {
			continue
		}
		null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
		if err != nil {
			return err
		}
		defer null.Close()
		pid, err := syscall.ForkExec(program[0], program, &syscall.ProcAttr{Files: []uintptr{null.Fd(), null.Fd(), null.Fd()}})
		if err != nil {
			return err
		}
		_, err = syscall.Wait4(pid, nil, 0, nil)
		return err
	}
	return unix.EPERM // this system has none of them
}

// leave starts one of ours that stays, or that leaves such a one behind, and gives
// its number; 0 where it could not be done.
func leave(dir, as string) int {
	exe, err := ownProgram()
	if err != nil {
		return 0
	}
	r, w, err := os.Pipe()
	if err != nil {
		return 0
	}
	defer r.Close()
	pid, err := syscall.ForkExec(exe, []string{as}, &syscall.ProcAttr{
		Dir: dir, Files: []uintptr{0, w.Fd(), 2}, Sys: &syscall.SysProcAttr{Setsid: true},
	})
	_ = w.Close()
	if err != nil {
		return 0
	}
	if as == daemonName {
		return pid
	}
	var orphan int
	if _, err := fmt.Fscan(r, &orphan); err != nil {
		return 0
	}
	_, err = syscall.Wait4(pid, nil, 0, nil)
	if err != nil {
		return 0
	}
	return orphan
}

// orphanMain starts a daemon in a session of its own, tells its number and ends.
func orphanMain() int {
	exe, err := ownProgram()
	if err != nil {
		return 1
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return 1
	}
	pid, err := syscall.ForkExec(exe, []string{daemonName}, &syscall.ProcAttr{
		Files: []uintptr{null.Fd(), null.Fd(), null.Fd()}, Sys: &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		return 1
	}
	fmt.Println(pid)
	return 0
}

func daemonMain() int {
	time.Sleep(time.Minute)
	return 0
}
