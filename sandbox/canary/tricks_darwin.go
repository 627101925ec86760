package canary

import (
	"fmt"
	"os"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/proc"
	"github.com/pillion-sidecar/pillion/sandbox/wire"
)

// readEnvironment asks for the arguments and the environment of a process, by the
// call itself: looking up the numbers by a name is another right. sysctl(3)
func readEnvironment(pid int) error {
	const kernProcargs2 = 49
	mib := []int32{unix.CTL_KERN, kernProcargs2, int32(pid)}
	buf := make([]byte, 64<<10)
	size := uintptr(len(buf))
	fn := proc.Symbol("sysctl")
	if fn == 0 {
		return unix.EINVAL
	}
	r, errno := proc.Call(fn, uintptr(unsafe.Pointer(&mib[0])), uintptr(len(mib)), uintptr(unsafe.Pointer(&buf[0])), uintptr(unsafe.Pointer(&size)), 0, 0)
	runtime.KeepAlive(mib)
	runtime.KeepAlive(buf)
	runtime.KeepAlive(&size)
	if int32(r) == 0 {
		return nil
	}
	return errno
}

// Answers of launchd to one that may not look a service up, and to one for whom there is
// none: it does not always distinguish the two. bootstrap.h
const (
	bootstrapNotPrivileged  = 1100
	bootstrapUnknownService = 1102
)

// lookUpService asks for a service that every Mac has, one that starts programs for
// its callers.
func lookUpService(name string) error {
	fn, port := proc.Symbol("bootstrap_look_up"), proc.Variable("bootstrap_port", 0)
	if fn == 0 || port == 0 {
		return unix.EINVAL
	}
	service, found := append([]byte(name), 0), make([]uint32, 1)
	r, _ := proc.Call(fn, uintptr(port), uintptr(unsafe.Pointer(&service[0])), uintptr(unsafe.Pointer(&found[0])), 0, 0, 0)
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

// leave starts one of ours that stays, or that leaves such a one, and gives its number; 0
// where it could not be done.
func leave(dir, as string) int {
	exe, err := proc.OwnProgram()
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
	if as == wire.Daemon {
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

// orphan starts a daemon in a session of its own, prints its number and ends.
func orphan() int {
	exe, err := proc.OwnProgram()
	if err != nil {
		return 1
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return 1
	}
	pid, err := syscall.ForkExec(exe, []string{wire.Daemon}, &syscall.ProcAttr{
		Files: []uintptr{null.Fd(), null.Fd(), null.Fd()}, Sys: &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		return 1
	}
	fmt.Println(pid)
	return 0
}
