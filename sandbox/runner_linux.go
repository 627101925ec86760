package sandbox

import (
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/limits"
	"github.com/pillion-sidecar/pillion/sandbox/policy"
	"github.com/pillion-sidecar/pillion/sandbox/proc"
	"github.com/pillion-sidecar/pillion/sandbox/wire"
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
	conn   wire.ConnLink
	pidfd  int
	host   int       // its process id on the host
	since  time.Time // when it became idle; its box's
	held   bool      // the kernel counts its command's processes
	group  limits.Leaf
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

func (k *keeperProc) newRunner(c policy.Conf, group string) (*runnerProc, error) {
	ours, theirs, err := wire.Socketpair()
	if err != nil {
		return nil, &SetupError{Stage: "runner socket", Err: err}
	}
	conn, err := wire.Adopt(ours)
	if err != nil {
		_ = unix.Close(theirs)
		return nil, &SetupError{Stage: "runner socket", Err: err}
	}
	r := &runnerProc{keeper: k, conn: conn, pidfd: -1}
	dirs, err := journalDirs(c)
	fds := append([]int{theirs}, dirs...)
	if err != nil {
		closeFDs(fds)
		r.close()
		return nil, &SetupError{Stage: "journal", Err: err}
	}
	err = errors.Join(r.conn.SetDeadline(time.Now().Add(startTimeout)), k.send(wire.MsgRunner, fds...))
	closeFDs(fds)
	if err == nil {
		err = r.awaitReady(group, c.Policy.Limits)
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

// startTimeout bounds the start of a sandbox: a mount or an executable on a file
// system that does not answer must not hang the editor.
const startTimeout = 20 * time.Second

func (r *runnerProc) awaitReady(group string, l Limits) error {
	// Two processes say so, and on a busy machine the runner may be first.
	for born, ready := false, false; !born || !ready; {
		f, err := wire.Receive(r.conn)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			r.kill()
			return &SetupError{Stage: "runner", Err: fmt.Errorf("not ready after %v", startTimeout)}
		}
		if err != nil {
			return &SetupError{Stage: "runner", Err: errRunnerLost}
		}
		switch f.Kind {
		case wire.MsgReady:
			var m wire.Ready
			ready, err = true, f.Decode(&m)
			r.held = err == nil && m.Held
		case wire.MsgBorn:
			born, r.pidfd = true, takeFD(f.FDs)
			r.host = proc.PIDOf(r.pidfd)
			if group == "" {
				continue
			}
			if r.group, err = limits.NewLeaf(group, r.host, l); err != nil {
				return &SetupError{Stage: "control group", Err: err}
			}
		case wire.MsgFailed:
			var m wire.Failed
			_ = f.Decode(&m)
			return &SetupError{Stage: m.Stage, Err: errors.New(m.Reason)}
		}
	}
	return errors.Join(r.handGroup(), r.conn.SetDeadline(time.Time{}))
}

// handGroup gives the runner the files of its group.
func (r *runnerProc) handGroup() error {
	if r.group == "" {
		return nil
	}
	files, err := r.group.Open()
	var fds []int
	for _, f := range files {
		defer f.Close()
		fds = append(fds, int(f.Fd()))
	}
	if err == nil {
		err = wire.Send(r.conn, wire.MsgGroup, nil, fds...)
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
	r.group.Remove()
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

// endLost ends what a lost runner may have left, and the runner, should it only
// not answer.
func (r *runnerProc) endLost() {
	r.group.Kill()
	r.kill()
	r.awaitEnd()
	if err := r.keeper.endOrphans(); err != nil {
		r.keeper.kill() // it is lost, too: what they had falls to us
		proc.KillOrphans()
	}
	r.forget()
}

// journalDirs opens the journal's directory and the workspace's, for a runner.
func journalDirs(c policy.Conf) (fds []int, err error) {
	if !c.Journaled() {
		return nil, nil
	}
	for _, dir := range append([]string{c.Policy.Journal}, c.Policy.Writable...) {
		fd, err := unix.Open(dir, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		if err != nil && dir != c.Policy.Journal { // a folder that was removed grants nothing
			fd, err = unix.Open(c.Policy.Journal, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		}
		if err != nil {
			closeFDs(fds)
			return nil, err
		}
		fds = append(fds, fd)
	}
	return fds, nil
}

func closeFDs(fds []int) {
	for _, fd := range fds {
		_ = unix.Close(fd)
	}
}
