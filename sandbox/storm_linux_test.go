package sandbox

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// What holds a command can't be signalled by it, by any means, on any rung: every signal
// is sent to every thread, and the next command finds the same runner.
func TestNoSignalOfACommandReachesWhatHoldsIt(t *testing.T) {
	onEveryRung(t, func(t *testing.T, _ string) {
		b := newBench(t)
		b.sh("true")
		before := b.theBox().victims()
		if o := b.helper("helper-storm"); o.status.Code != 0 {
			t.Errorf("%+v", o)
		}
		if o := b.sh("touch f && chmod 600 f && echo alive"); o.out != "alive\n" {
			t.Errorf("%+v", o)
		}
		if after := b.theBox().victims(); fmt.Sprint(after) != fmt.Sprint(before) {
			t.Errorf("%v, and now %v", before, after)
		}
	})
}

// stormHelper sends its parent's threads all signals there are.
func stormHelper() int {
	runtime.LockOSThread()
	// Siblings of ours would be in no way of it: the parent is our runner.
	parent := uintptr(os.Getppid())
	tasks, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", parent))
	if err != nil || len(tasks) < 4 {
		fmt.Println(len(tasks), err)
		return 1
	}
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	var info [16]uint64
	for _, task := range tasks {
		n, _ := strconv.Atoi(task.Name())
		tid := uintptr(n)
		for sig := uintptr(1); sig <= 64; sig++ {
			*(*[3]int32)(unsafe.Pointer(&info)) = [3]int32{int32(sig), 0, -1} // SI_QUEUE
			at := uintptr(unsafe.Pointer(&info))
			unix.Syscall(unix.SYS_KILL, tid, sig, 0)
			unix.Syscall(unix.SYS_TKILL, tid, sig, 0)
			unix.Syscall(unix.SYS_TGKILL, parent, tid, sig)
			unix.Syscall(unix.SYS_RT_SIGQUEUEINFO, tid, sig, at)
			unix.Syscall6(unix.SYS_RT_TGSIGQUEUEINFO, parent, tid, sig, at, 0, 0)
			if fd, _, errno := unix.Syscall(unix.SYS_PIDFD_OPEN, tid, 0, 0); errno == 0 {
				unix.Syscall6(unix.SYS_PIDFD_SEND_SIGNAL, fd, sig, 0, 0, 0, 0)
				_ = unix.Close(int(fd))
			}
			ownedBy(pair, tid, sig)
		}
	}
	return 0
}

// ownedBy has the kernel send a signal when a socket can be read, to whom it is said to
// belong to.
func ownedBy(pair [2]int, tid, sig uintptr) {
	const setsig, setown = 10, 8
	owner := int32(tid)
	unix.Syscall(unix.SYS_FCNTL, uintptr(pair[0]), setsig, sig)
	for _, set := range []func(){
		func() { unix.Syscall(unix.SYS_FCNTL, uintptr(pair[0]), setown, tid) },
		func() { unix.Syscall(unix.SYS_IOCTL, uintptr(pair[0]), 0x8901, uintptr(unsafe.Pointer(&owner))) },
		func() { unix.Syscall(unix.SYS_IOCTL, uintptr(pair[0]), 0x8902, uintptr(unsafe.Pointer(&owner))) },
	} {
		unix.Syscall(unix.SYS_FCNTL, uintptr(pair[0]), setown, 0)
		set()
		_, _ = unix.FcntlInt(uintptr(pair[0]), unix.F_SETFL, unix.O_ASYNC|unix.O_NONBLOCK)
		_, _ = unix.Write(pair[1], []byte("x"))
		var buf [16]byte
		_, _ = unix.Read(pair[0], buf[:])
	}
}
