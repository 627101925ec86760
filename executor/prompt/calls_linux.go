package prompt

import (
	"encoding/binary"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/proc"
)

// Calls of x86-64 that others don't have. On arm64 these are numbers of calls that do not
// wait: fsetxattr, dup and mincore.
const (
	oldPoll      = 7
	oldSelect    = 23
	oldEpollWait = 232
)

// A call and what it waits for. proc_pid_syscall(5)
type call struct {
	number int
	args   [5]uint64
}

func parseCall(text string) (c call, ok bool) {
	f := strings.Fields(text)
	if len(f) < 6 {
		return c, false // running, or not in a call
	}
	var err error
	if c.number, err = strconv.Atoi(f[0]); err != nil {
		return c, false
	}
	for i := range c.args {
		if _, err := fmt.Sscanf(f[i+1], "0x%x", &c.args[i]); err != nil {
			return c, false
		}
	}
	return c, true
}

// waits reports a call that is for input, and for nothing from elsewhere.
func (in Input) waits(p proc.Process, c call, root int) bool {
	found := false
	fds, _ := c.reads(p.PID)
	for _, fd := range fds {
		switch {
		case in.is(p, fd, root):
			found = true
		case !internal(p.PID, fd):
			return false
		}
	}
	return found
}

// rests reports a call of a thread that does nothing until another thread of its process
// wants it to: locks, also those that are tried again after a while, as the threads of
// runtimes do.
func (c call) rests(pid int) bool {
	switch c.number {
	case unix.SYS_FUTEX:
		return true
	case unix.SYS_RT_SIGTIMEDWAIT:
		return c.args[2] == 0
	}
	fds, forever := c.reads(pid)
	return forever && !slices.ContainsFunc(fds, func(fd int) bool { return !internal(pid, fd) })
}

// reads lists the descriptors that a call waits for, if it does; forever says that it
// waits for nothing else, time included.
func (c call) reads(pid int) (fds []int, forever bool) {
	const never = -1
	switch c.number {
	case unix.SYS_READ, unix.SYS_READV:
		return []int{int(int32(c.args[0]))}, true
	case oldPoll:
		return polled(pid, c), int32(c.args[2]) == never
	case unix.SYS_PPOLL:
		return polled(pid, c), c.args[2] == 0
	case oldSelect, unix.SYS_PSELECT6:
		return selected(pid, c), c.args[4] == 0
	case oldEpollWait, unix.SYS_EPOLL_PWAIT:
		return watched(pid, int(int32(c.args[0]))), int32(c.args[3]) == never
	case unix.SYS_EPOLL_PWAIT2:
		return watched(pid, int(int32(c.args[0]))), c.args[3] == 0
	}
	return nil, false
}

// controlling is /dev/tty.
var controlling = unix.Mkdev(5, 0)

func (in Input) is(p proc.Process, fd, root int) bool {
	st, ok := descriptor(p.PID, fd)
	if in.terminal && uint64(st.Rdev) == controlling { //nolint:unconvert // as above
		return p.Session == root // which leads it: another session has another terminal
	}
	return ok && uint64(st.Dev) == in.dev && st.Ino == in.ino //nolint:unconvert // as above
}

func descriptor(pid, fd int) (st unix.Stat_t, ok bool) {
	err := unix.Stat(fmt.Sprintf("/proc/%d/fd/%d", pid, fd), &st)
	return st, err == nil
}

// internal is a descriptor through which only the process itself is woken up, as event
// loops have them: an eventfd, a timer, a pipe with both ends of it.
func internal(pid, fd int) bool {
	st, ok := descriptor(pid, fd)
	switch st.Mode & unix.S_IFMT {
	case 0: // an inode without a name has no type
		return ok
	case unix.S_IFIFO:
		return ends(pid, st) > 1
	}
	return false
}

func ends(pid int, pipe unix.Stat_t) (n int) {
	list, _ := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	for _, e := range list {
		fd, _ := strconv.Atoi(e.Name())
		if st, ok := descriptor(pid, fd); ok && st.Dev == pipe.Dev && st.Ino == pipe.Ino {
			n++
		}
	}
	return n
}

// mostWatched descriptors of one call.
const mostWatched = 64

// polled reads struct pollfd. poll(2)
func polled(pid int, c call) (fds []int) {
	b := memory(pid, c.args[0], 8*min(c.args[1], mostWatched))
	for ; len(b) >= 8; b = b[8:] {
		fd, events := int32(binary.NativeEndian.Uint32(b)), binary.NativeEndian.Uint16(b[4:])
		if fd >= 0 && events&unix.POLLIN != 0 {
			fds = append(fds, int(fd))
		}
	}
	return fds
}

// selected reads an fd_set. select(2)
func selected(pid int, c call) (fds []int) {
	const word = strconv.IntSize / 8
	b := memory(pid, c.args[1], (min(c.args[0], unix.FD_SETSIZE)+8*word-1)/(8*word)*word)
	for i, part := range b {
		for bit := range 8 {
			if fd := 8*i + bit; part>>bit&1 != 0 && fd < int(c.args[0]) {
				fds = append(fds, fd)
			}
		}
	}
	return fds
}

// watched reads what an epoll waits for. proc_pid_fdinfo(5)
func watched(pid, epoll int) (fds []int) {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/fdinfo/%d", pid, epoll))
	for line := range strings.Lines(string(b)) {
		var fd int
		var events uint32
		n, _ := fmt.Sscanf(line, "tfd: %d events: %x", &fd, &events)
		if n == 2 && events&unix.EPOLLIN != 0 {
			fds = append(fds, fd)
		}
	}
	return fds
}

// memory reads of a process. process_vm_readv(2)
func memory(pid int, at, n uint64) []byte {
	if at == 0 || n == 0 {
		return nil
	}
	b := make([]byte, n)
	local := []unix.Iovec{{Base: &b[0]}}
	local[0].SetLen(len(b))
	remote := []unix.RemoteIovec{{Base: uintptr(at), Len: len(b)}}
	got, err := unix.ProcessVMReadv(pid, local, remote, 0)
	if err != nil {
		return nil
	}
	return b[:got]
}
