package sandbox

import (
	"errors"
	"fmt"
	"net"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// errRunnerLost is a runner that ended on its own, by a crash or the kernel's
// memory killer.
var errRunnerLost = errors.New("the sandbox's runner process ended unexpectedly")

// errNeverRead is one that ended before it read what we asked: it was dead
// already, and nothing was started.
var errNeverRead = fmt.Errorf("%w before it was asked", errRunnerLost)

// runnerProc is the sidecar's end of one runner.
type runnerProc struct {
	keeper *keeperProc
	conn   connLink
	pidfd  int
	host   int       // its process id on the host
	since  time.Time // when it became idle; its box's
	held   bool      // the kernel counts its command's processes
	group  leaf
}

// newRunner asks the keeper for a runner, and for a new keeper where the old one
// is gone.
func (b *box) newRunner() (*runnerProc, error) {
	for {
		k, err := b.takeKeeper()
		if err != nil {
			return nil, err
		}
		r, err := k.newRunner(b.conf, b.group)
		switch {
		case err == nil:
			if err = b.carry(k); err == nil {
				return r, nil
			}
			r.close()
			b.lose(k) // the next command begins anew
			return nil, err
		case !errors.Is(err, errRunnerLost) || !b.dropKeeper(k):
			return nil, err
		}
	}
}

func (k *keeperProc) newRunner(c conf, group string) (*runnerProc, error) {
	ours, theirs, err := socketpair()
	if err != nil {
		return nil, &SetupError{Stage: "runner socket", Err: err}
	}
	conn, err := adoptSocket(uintptr(ours))
	if err != nil {
		_ = unix.Close(theirs)
		return nil, &SetupError{Stage: "runner socket", Err: err}
	}
	r := &runnerProc{keeper: k, conn: connLink{conn}, pidfd: -1}
	err = errors.Join(r.conn.SetDeadline(time.Now().Add(startTimeout)), k.send(msgRunner, theirs))
	_ = unix.Close(theirs)
	if err == nil {
		r.configure(c)
		err = r.awaitReady(group, c.policy.Limits)
	} else {
		err = &SetupError{Stage: "runner", Err: errors.Join(errRunnerLost, err)}
	}
	if err != nil {
		r.close()
		return nil, err
	}
	k.served.Store(true)
	k.know(r.host)
	return r, nil
}

// configure tells either half of the runner what to enforce. It needs somebody at the
// other end, for a socket holds less than there may be to say. Why nobody is there, or
// not for long enough, is what awaitReady finds out.
func (r *runnerProc) configure(c conf) {
	text := c.encode().b
	for range 2 {
		if writeFrame(r.conn, msgConf, text) != nil {
			return
		}
	}
}

// startTimeout bounds the start of a sandbox: a mount or an executable on a file
// system that does not answer must not hang the editor.
const startTimeout = 20 * time.Second

func (r *runnerProc) awaitReady(group string, l Limits) error {
	// Two processes say so, and on a busy machine the runner may be first.
	for born, ready := false, false; !born || !ready; {
		f, err := readFrame(r.conn)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			r.kill()
			return &SetupError{Stage: "runner", Err: fmt.Errorf("not ready after %v", startTimeout)}
		}
		if err != nil {
			return &SetupError{Stage: "runner", Err: errRunnerLost}
		}
		switch f.kind {
		case msgReady:
			ready, r.held = true, (&payload{b: f.data}).int() == 1
		case msgBorn:
			born, r.pidfd = true, takeFD(f.fds)
			r.host = pidOf(r.pidfd)
			if group == "" {
				continue
			}
			if r.group, err = newLeaf(group, r.host, l); err != nil {
				return &SetupError{Stage: "control group", Err: err}
			}
		case msgFailed:
			p := &payload{b: f.data}
			return &SetupError{Stage: p.string(), Err: errors.New(p.string())}
		}
	}
	return errors.Join(r.handGroup(), r.conn.SetDeadline(time.Time{}))
}

// handGroup gives the runner the files of its group.
func (r *runnerProc) handGroup() error {
	if r.group == "" {
		return nil
	}
	files, err := r.group.open()
	var fds []int
	for _, f := range files {
		defer f.Close()
		fds = append(fds, int(f.Fd()))
	}
	if err == nil {
		err = writeFrame(r.conn, msgGroup, nil, fds...)
	}
	if err != nil {
		return &SetupError{Stage: "control group", Err: err}
	}
	return nil
}

func (r *runnerProc) kill() {
	if r.pidfd >= 0 {
		_ = unix.PidfdSendSignal(r.pidfd, unix.SIGKILL, nil, 0)
	}
}

// close lets the runner end its tree and itself, and waits for it.
func (r *runnerProc) close() {
	_ = r.conn.Close()
	r.awaitEnd()
	r.forget()
	r.group.remove()
}

// awaitEnd returns when the process is gone, and with it, where it was PID 1,
// everything in its namespace.
func (r *runnerProc) awaitEnd() {
	if r.pidfd < 0 {
		return
	}
	for {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(r.pidfd), Events: unix.POLLIN}}, -1)
		if n > 0 || err != nil && !errors.Is(err, unix.EINTR) {
			break
		}
	}
}

// forget gives the number of a process that is gone free.
func (r *runnerProc) forget() {
	if r.pidfd < 0 {
		return
	}
	// Without its keeper it is our child, and would stay a zombie. ECHILD else.
	_ = unix.Waitid(unix.P_PIDFD, r.pidfd, nil, unix.WEXITED|unix.WNOHANG, nil)
	_ = unix.Close(r.pidfd)
	r.pidfd = -1
}

// takeFD takes the only descriptor of a frame over.
func takeFD(fds []*os.File) int {
	if len(fds) != 1 {
		return -1
	}
	defer fds[0].Close()
	fd, err := unix.FcntlInt(fds[0].Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return -1
	}
	return fd
}

// adoptSocket puts our end of the socketpair into Go's poller.
func adoptSocket(fd uintptr) (*net.UnixConn, error) {
	f := os.NewFile(fd, "runner socket")
	defer f.Close()
	c, err := net.FileConn(f)
	if err != nil {
		return nil, err
	}
	return c.(*net.UnixConn), nil // a socketpair of AF_UNIX is nothing else
}
