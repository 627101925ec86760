package sandbox

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/canary"
	"github.com/pillion-sidecar/pillion/sandbox/seccomp"
)

// checkHelpers are what the test binary can be inside the sandbox, as $SELF: calls
// that no installed tool makes. Each exits with 0 when the attempt got through,
// with 1 when it was refused, and with proofless when it failed for a reason
// that proves nothing.
var checkHelpers = map[string]func(args []string) int{
	"sc":       systemCall,
	"setxattr": func(a []string) int { return said(unix.Setxattr(a[0], "user.pillion", []byte("x"), 0)) },
	"connect":  func(a []string) int { return said(unixSocket(unix.SOCK_STREAM, a[0], unix.Connect)) },
	"exchange": func(a []string) int {
		return said(unix.Renameat2(unix.AT_FDCWD, a[0], unix.AT_FDCWD, a[1], unix.RENAME_EXCHANGE))
	},
	"bind":         func(a []string) int { return said(unixSocket(unix.SOCK_STREAM, a[0], unix.Bind)) },
	"sendto":       func(a []string) int { return said(unixSocket(unix.SOCK_DGRAM, a[0], sendByte)) },
	"hear":         func(a []string) int { return said(hear(a[0])) },
	"listen":       func(a []string) int { return said(takePort(a[0], int(number(a[1])), a[2:])) },
	"pidfdkill":    func(a []string) int { return said(pidfdKill(number(a[0]))) },
	"signalkeeper": func([]string) int { return said(canary.SignalRunner()) },
	"mqueue":       func([]string) int { return said(makeQueue("/pillion-check")) },
	"changed":      func([]string) int { return changedUser() },
	"setidfile":    func(a []string) int { return said(openMode(a[0], 0o4755)) },
	"type":         func(a []string) int { return said(typeInto(0, a[0])) },
	"int80":        func([]string) int { return int80() },
	"launch":       launchHelper,
	"holder":       holderHelper,
	"churn":        churnHelper,
	"ruin":         ruinHelper,
	"undo":         undoHelper,
}

const proofless = 3

// noes are the errors by which a sandbox says no, by every means it has.
var noes = map[error]bool{
	unix.EPERM: true, unix.EACCES: true, unix.ENOSYS: true, unix.EOPNOTSUPP: true, unix.EROFS: true,
	unix.EAFNOSUPPORT: true, unix.ESRCH: true, unix.ENOENT: true, unix.ECONNREFUSED: true,
}

func said(err error) int {
	if err == nil {
		return 0
	}
	fmt.Println(err)
	if noes[err] {
		return 1
	}
	return proofless
}

// systemCall makes a call with nothing that could make it fail before it is
// judged; the first argument is the errno it must be refused with, or any.
func systemCall(a []string) int {
	nr, ok := seccomp.Numbers()[a[1]]
	if !ok {
		nr, ok = otherNumbers[a[1]]
	}
	if !ok {
		nr = uint32(number(a[1]))
	}
	var scratch [4096]byte
	var v [6]uintptr
	for i, s := range a[2:] {
		if s == "pointer" {
			v[i] = uintptr(unsafe.Pointer(&scratch))
		} else {
			v[i] = uintptr(number(s))
		}
	}
	r, _, errno := syscall.RawSyscall6(uintptr(nr), v[0], v[1], v[2], v[3], v[4], v[5])
	switch {
	case errno == 0 && r == 0 && (a[1] == "clone" || a[1] == "clone3"):
		syscall.RawSyscall(unix.SYS_EXIT_GROUP, 0, 0, 0) // the child that should not be
		return 0
	case errno == 0:
		return 0
	case slices.Contains(strings.Split(a[0], ","), unix.ErrnoName(errno)):
		return 1
	case a[0] != "any":
		fmt.Printf("%s, not %s\n", unix.ErrnoName(errno), a[0])
		return proofless
	}
	return said(errno)
}

var otherNumbers = map[string]uint32{"setuid": unix.SYS_SETUID, "setgid": unix.SYS_SETGID}

func number(s string) int64 {
	n, err := strconv.ParseInt(s, 0, 64)
	if err != nil {
		fmt.Println(err)
		syscall.Exit(proofless)
	}
	return n
}

func unixSocket(kind int, name string, do func(int, unix.Sockaddr) error) error {
	fd, err := unix.Socket(unix.AF_UNIX, kind|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return do(fd, &unix.SockaddrUnix{Name: name})
}

func sendByte(fd int, to unix.Sockaddr) error { return unix.Sendto(fd, []byte("x"), 0, to) }

func pidfdKill(pid int64) error {
	fd, err := unix.PidfdOpen(int(pid), 0)
	if err != nil {
		return err
	}
	return unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0)
}

func makeQueue(name string) error {
	b, _ := unix.BytePtrFromString(name[1:])
	_, _, errno := syscall.RawSyscall6(unix.SYS_MQ_OPEN, uintptr(unsafe.Pointer(b)), unix.O_CREAT|unix.O_RDWR, 0o600, 0, 0, 0)
	return errnoError(errno)
}

// typeInto pushes text into a terminal as if its user had typed it.
func typeInto(fd uintptr, text string) error {
	for i := range []byte(text) {
		c := text[i]
		if _, _, errno := syscall.RawSyscall(unix.SYS_IOCTL, fd, unix.TIOCSTI, uintptr(unsafe.Pointer(&c))); errno != 0 {
			return errno
		}
	}
	return nil
}

// changedUser runs as a program with set-id bits.
func changedUser() int {
	if os.Getuid() != os.Geteuid() || os.Getgid() != os.Getegid() {
		return 0
	}
	return 1
}

func openMode(path string, mode uint32) error {
	fd, err := unix.Open(path, unix.O_CREAT|unix.O_WRONLY|unix.O_CLOEXEC, mode)
	if err != nil {
		return err
	}
	return unix.Close(fd)
}
