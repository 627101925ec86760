package sandbox

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// runner is the state of the restricted thread's loop. Everything happens on
// that one thread: it reads the sidecar's frames, forks, waits, kills and
// answers, so a command costs no wake-up of another thread of ours.
type runner struct {
	conn   fdLink
	conf   conf
	leader int  // the main child, 0 while idle
	pidfd  int  // of the main child until it has been reported
	alone  bool // the tree is gone
	broker *broker

	limiter limiter
	parked  bool // what the main child left may stay
	watched int  // pidfd of one direct child while parked
}

// serve loops until the sidecar's end of the socket is closed, and then ends the
// tree before it returns.
func (r *runner) serve() {
	r.pidfd, r.alone, r.watched = -1, true, -1
	r.send(msgReady, new(payload).putBool(pidsHeld(r.conf)))
	for {
		fds := []unix.PollFd{
			{Fd: int32(r.conn), Events: unix.POLLIN},
			{Fd: int32(r.pidfd), Events: unix.POLLIN},
			{Fd: int32(r.watched), Events: unix.POLLIN},
		}
		if _, err := unix.Poll(fds, r.patience()); err != nil && !errors.Is(err, unix.EINTR) {
			break
		}
		if fds[1].Revents != 0 {
			r.reap()
		}
		r.look()
		if r.parked {
			r.tend(fds[2].Revents != 0)
		}
		if fds[0].Revents == 0 {
			continue
		}
		f, err := readFrame(r.conn)
		if err != nil {
			break
		}
		r.handle(f)
	}
	r.killTree()
}

func (r *runner) handle(f frame) {
	p := &payload{b: f.data}
	switch f.kind {
	case msgStart:
		r.start(p, f.fds)
	case msgSignal:
		r.signal(unix.Signal(p.int()))
	case msgEnd:
		left := r.leftovers()
		r.limiter.leave(left)
		r.killTree()
		r.unpark()
		r.ended(left)
	case msgLeave:
		left := r.leftovers()
		r.parked = !r.alone
		r.ended(left)
	}
}

// ended lists what was left, and whether something still is.
func (r *runner) ended(left []proc) {
	r.limiter.settle(true)
	r.tellViolated()
	out := new(payload).putInt(int64(len(left)))
	for _, l := range left {
		out.putInt(int64(l.pid)).putString(l.name)
	}
	r.send(msgEnded, out.putBool(!r.alone).putString(string(r.limiter.hit)))
}

// tellViolated sends what was refused, if anything was.
func (r *runner) tellViolated() {
	if v := r.refused(); v.total > 0 {
		r.send(msgRefused, v.encode())
	}
}

// refused takes what the limits and the broker have refused since the last time.
func (r *runner) refused() (v violated) {
	v.rows, v.total = r.limiter.seen.take()
	if r.broker != nil {
		rows, total := r.broker.seen.take()
		v.rows, v.total = append(v.rows, rows...), v.total+total
	}
	return v
}

func (r *runner) start(p *payload, fds []*os.File) {
	defer func() {
		for _, f := range fds {
			_ = f.Close()
		}
	}()
	req := startRequest{path: p.string(), argv: p.strings(), env: p.strings(), dir: p.string(), dev: p.int(), ino: p.int()}
	pid, errno := 0, syscall.Errno(unix.EPROTO)
	if p.err == nil && len(fds) == r.files() && r.alone {
		pid, errno = r.fork(req, fds)
	}
	out := new(payload).putInt(int64(errno))
	if errno != 0 {
		r.send(msgStarted, out)
		return
	}
	r.leader, r.alone = pid, false
	r.beginLimits(req.path)
	_ = writeFrame(r.conn, msgStarted, out.putInt(int64(pid)).b, r.pidfd)
	if r.conf.namespaced() {
		// The sidecar reads the child's number in its own namespace off the pidfd,
		// which knows none any more once we have reaped it.
		_, _ = readFrame(r.conn) // a sidecar that is gone is noticed by the next read
	}
}

// startRequest is one program to start. The directory was opened by the sidecar,
// and dir is its name, device and inode.
type startRequest struct {
	path, dir string
	argv, env []string
	dev, ino  int64
}

// files is how many descriptors come with a start: stdio and, where the sandbox
// shares the host's mounts, the opened directory. With mounts of its own a
// directory from outside would be a way out of them.
func (r *runner) files() int {
	if r.conf.namespaced() {
		return 3
	}
	return maxFDs
}

// fork starts the program. Its files were opened by the sidecar, so nothing but
// the directory is opened here under the restrictions.
func (r *runner) fork(req startRequest, fds []*os.File) (int, syscall.Errno) {
	dir, errno := r.directory(req, fds)
	if errno != 0 {
		return 0, errno
	}
	defer unix.Close(dir)
	attr := syscall.ProcAttr{
		// The opened directory itself, not its name: nothing can be swapped in.
		Dir: fmt.Sprintf("/proc/self/fd/%d", dir),
		Env: req.env,
		Sys: &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL, PidFD: &r.pidfd},
	}
	for _, f := range fds[:3] {
		attr.Files = append(attr.Files, f.Fd())
	}
	pid, err := syscall.ForkExec(req.path, req.argv, &attr)
	if err == nil {
		return pid, 0
	}
	r.pidfd = -1 // ForkExec has closed it
	if !errors.As(err, &errno) {
		errno = unix.EINVAL
	}
	return 0, errno
}

// directory opens the working directory inside, and makes sure that it is the one
// the sidecar opened outside.
func (r *runner) directory(req startRequest, fds []*os.File) (int, syscall.Errno) {
	if len(fds) == maxFDs {
		fd, err := unix.FcntlInt(fds[3].Fd(), unix.F_DUPFD_CLOEXEC, 0)
		return fd, errnoOf(err)
	}
	fd, err := openPlainDir(req.dir)
	if err != nil {
		return -1, errnoOf(err)
	}
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil || int64(st.Dev) != req.dev || int64(st.Ino) != req.ino {
		_ = unix.Close(fd)
		return -1, unix.ESTALE
	}
	return fd, 0
}

// openPlainDir opens an absolute path without following a link. openat2 would do
// it in one call, but this thread is behind the filter.
func openPlainDir(path string) (int, error) {
	fd, err := unix.Open("/", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	for _, name := range strings.FieldsFunc(path, func(r rune) bool { return r == '/' }) {
		if err != nil {
			return -1, err
		}
		up := fd
		fd, err = unix.Openat(up, name, unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
		_ = unix.Close(up)
	}
	return fd, err
}

func errnoOf(err error) syscall.Errno {
	var errno syscall.Errno
	if err != nil && !errors.As(err, &errno) {
		errno = unix.EINVAL
	}
	return errno
}

// reap reports the main child's end. Usually nothing else of the tree is left
// then, and the same message says so.
func (r *runner) reap() {
	var ws unix.WaitStatus
	var ru unix.Rusage
	if _, err := unix.Wait4(r.leader, &ws, 0, &ru); err != nil {
		return
	}
	_ = unix.Close(r.pidfd)
	r.pidfd = -1
	r.limiter.ended(ws, true)
	r.reapEnded()
	r.limiter.settle(r.alone)
	r.tellViolated()
	r.send(msgExited, new(payload).putInt(int64(ws)).
		putInt(ru.Utime.Nano()).putInt(ru.Stime.Nano()).putInt(ru.Maxrss*1024).putBool(r.alone).
		putString(string(r.limiter.hit)))
}

// reapEnded collects what has ended already, but leaves the main child's status
// to reap. ECHILD is the kernel's word that no descendant is left, however it
// daemonized.
func (r *runner) reapEnded() {
	for r.pidfd < 0 && !r.alone {
		var ws unix.WaitStatus
		pid, err := unix.Wait4(-1, &ws, unix.WNOHANG, nil)
		if pid == 0 && err == nil {
			return
		}
		if err == nil {
			r.limiter.ended(ws, false)
		}
		if r.alone = errors.Is(err, unix.ECHILD); r.alone {
			if r.broker.finish() != nil {
				os.Exit(1) // the sidecar then reports a lost sandbox
			}
			r.limiter.meter.removeSegments()
		}
	}
}

func (r *runner) leftovers() []proc {
	r.reapEnded()
	if r.alone {
		return nil
	}
	var left []proc
	for _, p := range descendants() {
		if !p.zombie {
			left = append(left, p)
		}
	}
	return left
}

// killTree returns when no descendant is left. The first pass is at once; later
// ones back off, for what sits in an uninterruptible call.
func (r *runner) killTree() {
	if r.pidfd >= 0 { // nobody is there to hear the main child's status
		_ = unix.Close(r.pidfd)
		r.pidfd = -1
	}
	for wait := 50 * time.Microsecond; ; wait = min(2*wait, 20*time.Millisecond) {
		r.reapEnded()
		if r.alone {
			return
		}
		r.signal(unix.SIGKILL)
		time.Sleep(wait)
	}
}

// signal reaches every process of the tree. This thread shares the commands'
// Landlock domain, whose scope makes kill(-1) mean "everything in the domain":
// one walk of the kernel's own list under its lock, which no fork bomb outruns.
// Without a domain (mode off) the tree is walked through /proc.
func (r *runner) signal(sig unix.Signal) {
	if !r.conf.confined() {
		signalTree(sig)
		return
	}
	_ = unix.Kill(-1, sig) // ESRCH: nothing is left to signal
}

func (r *runner) send(kind byte, p *payload) {
	_ = writeFrame(r.conn, kind, p.b) // a sidecar that is gone is noticed by the reader
}
