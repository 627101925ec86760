package broker

import (
	"os"
	"strconv"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/files"
	"github.com/pillion-sidecar/pillion/sandbox/proc"
	"github.com/pillion-sidecar/pillion/sandbox/protect"
)

const ttyDevice = 5 << 8 // /dev/tty

// screen is the command's own terminal. It is the host's: no path inside leads to it, and
// no rule of Landlock lets it be opened. While it is held its other end sees no end.
type screen struct {
	mu     sync.Mutex
	fd     int    // 0 for none
	dev    uint64 // in its /dev/pts; the sandbox's may have one of the same number
	leader int    // of its session; 0 while no other process can have one
}

// Shows gets the terminal of a command that is about to start.
func (b *Broker) Shows(f *os.File) {
	if b == nil {
		return
	}
	b.screen.mu.Lock()
	defer b.screen.mu.Unlock()
	var st unix.Stat_t
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 3)
	if err == nil && unix.Fstat(fd, &st) == nil {
		b.screen.fd, b.screen.dev, b.screen.leader = fd, uint64(st.Rdev), 0 //nolint:unconvert // uint32 on other machines
	}
}

// Leads gets the main child, which leads the terminal's session; 0 is its end, or that
// there is none.
func (b *Broker) Leads(pid int) {
	if b == nil {
		return
	}
	b.screen.mu.Lock()
	defer b.screen.mu.Unlock()
	if b.screen.leader = pid; pid == 0 && b.screen.fd > 0 {
		_ = unix.Close(b.screen.fd)
		b.screen.fd = 0
	}
}

// of is a descriptor of the terminal for a process whose controlling one it is; -1 where
// it is not.
func (s *screen) of(p proc.Process) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fd == 0 || p.TTY != s.dev || s.leader != 0 && p.Session != s.leader {
		return -1
	}
	fd, err := unix.FcntlInt(uintptr(s.fd), unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return -1
	}
	return fd
}

func (a *request) openTerminal(flags int) (reply, error) {
	p, ok := proc.ParseStat(a.pid, []byte(a.text("/stat")))
	if !ok {
		return done, unix.ENXIO
	}
	if fd := a.b.screen.of(p); fd >= 0 {
		return reply{fd: fd, flags: flags & unix.O_CLOEXEC}, nil
	}
	pin, err := terminal(p.TTY)
	if err != nil {
		return done, err
	}
	defer func() { _ = unix.Close(pin) }()
	if err := a.alive(); err != nil {
		return done, err
	}
	path, err := files.RealPath(pin)
	if err != nil {
		return done, err
	}
	if err := a.judge(path, -1, pin, protect.Write); err != nil {
		return done, err
	}
	return a.reopen(pin, flags, unix.S_IFCHR)
}

// terminal opens one of the sandbox's own. The broker's /dev/tty would be another one.
func terminal(tty uint64) (int, error) {
	major, minor := unix.Major(tty), unix.Minor(tty)
	if major < 136 || major > 143 {
		return -1, unix.ENXIO // none, or not a pseudo terminal
	}
	fd, err := unix.Open("/dev/pts/"+strconv.Itoa(int((major-136)<<8|minor)), unix.O_PATH|unix.O_CLOEXEC|unix.O_NOFOLLOW, 0)
	if err != nil {
		return -1, unix.ENXIO
	}
	var st unix.Stat_t
	if unix.Fstat(fd, &st) != nil || st.Rdev != tty {
		_ = unix.Close(fd)
		return -1, unix.ENXIO
	}
	return fd, nil
}
