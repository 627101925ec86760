package sandbox

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// runner is the state of the restricted thread's loop. Everything happens on
// that one thread: it reads the sidecar's frames, forks, waits, kills and
// answers, so a command costs no wake-up of another thread of ours.
type runner struct {
	conn   fdLink
	conf   runnerConf
	leader int  // the main child, 0 while idle
	pidfd  int  // of the main child until it has been reported
	alone  bool // the tree is gone
	broker *broker
}

// serve loops until the sidecar's end of the socket is closed, and then ends the
// tree before it returns.
func (r *runner) serve() {
	r.pidfd, r.alone = -1, true
	r.send(msgReady, new(payload))
	for {
		fds := []unix.PollFd{{Fd: int32(r.conn), Events: unix.POLLIN}, {Fd: int32(r.pidfd), Events: unix.POLLIN}}
		if _, err := unix.Poll(fds, -1); err != nil && !errors.Is(err, unix.EINTR) {
			break
		}
		if fds[1].Revents != 0 {
			r.reap()
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
		r.killTree()
		out := new(payload).putInt(int64(len(left)))
		for _, l := range left {
			out.putInt(int64(l.pid)).putString(l.name)
		}
		r.send(msgEnded, out)
	}
}

func (r *runner) start(p *payload, fds []*os.File) {
	defer func() {
		for _, f := range fds {
			_ = f.Close()
		}
	}()
	path, argv, env := p.string(), p.strings(), p.strings()
	pid, errno := 0, syscall.Errno(unix.EPROTO)
	if p.err == nil && len(fds) == maxFDs && r.alone {
		pid, errno = r.fork(path, argv, env, fds[0], fds[1:])
	}
	if errno == 0 {
		r.leader, r.alone = pid, false
	}
	r.send(msgStarted, new(payload).putInt(int64(pid)).putInt(int64(errno)))
}

// fork starts the program. Everything it needs was opened by the sidecar, so
// nothing is opened here under the restrictions.
func (r *runner) fork(path string, argv, env []string, dir *os.File, stdio []*os.File) (int, syscall.Errno) {
	attr := syscall.ProcAttr{
		// The opened directory itself, not its name: nothing can be swapped in.
		Dir: fmt.Sprintf("/proc/self/fd/%d", dir.Fd()),
		Env: env,
		Sys: &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL, PidFD: &r.pidfd},
	}
	for _, f := range stdio {
		attr.Files = append(attr.Files, f.Fd())
	}
	pid, err := syscall.ForkExec(path, argv, &attr)
	if err == nil {
		return pid, 0
	}
	r.pidfd = -1 // ForkExec has closed it
	var errno syscall.Errno
	if !errors.As(err, &errno) {
		errno = unix.EINVAL
	}
	return 0, errno
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
	r.reapEnded()
	r.send(msgExited, new(payload).putInt(int64(ws)).
		putInt(ru.Utime.Nano()).putInt(ru.Stime.Nano()).putInt(ru.Maxrss*1024).putBool(r.alone))
}

// reapEnded collects what has ended already, but leaves the main child's status
// to reap. ECHILD is the kernel's word that no descendant is left, however it
// daemonized.
func (r *runner) reapEnded() {
	for r.pidfd < 0 && !r.alone {
		pid, err := unix.Wait4(-1, nil, unix.WNOHANG, nil)
		if pid == 0 && err == nil {
			return
		}
		if r.alone = errors.Is(err, unix.ECHILD); r.alone {
			if r.broker.finish() != nil {
				os.Exit(1) // the sidecar then reports a lost sandbox
			}
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
	if r.conf.mode == Off {
		signalTree(sig)
		return
	}
	_ = unix.Kill(-1, sig) // ESRCH: nothing is left to signal
}

func (r *runner) send(kind byte, p *payload) {
	_ = writeFrame(r.conn, kind, p.b) // a sidecar that is gone is noticed by the reader
}
