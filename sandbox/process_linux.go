package sandbox

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// errRunnerLost is a runner that ended on its own, by a crash or the kernel's
// memory killer.
var errRunnerLost = errors.New("the sandbox's runner process ended unexpectedly")

// runnerProc is the sidecar's end of one runner.
type runnerProc struct {
	keeper *keeperProc
	conn   connLink
	pidfd  int
	fresh  bool // has not served a command yet
	held   bool // the kernel counts its command's processes
}

// newRunner asks the keeper for a runner, and for a new keeper where the old one
// is gone.
func (b *box) newRunner() (*runnerProc, error) {
	for {
		k, err := b.takeKeeper()
		if err != nil {
			return nil, err
		}
		r, err := k.newRunner(b.conf)
		if !errors.Is(err, errRunnerLost) || !b.dropKeeper(k) {
			return r, err
		}
	}
}

func (k *keeperProc) newRunner(c conf) (*runnerProc, error) {
	ours, theirs, err := socketpair()
	if err != nil {
		return nil, &SetupError{Stage: "runner socket", Err: err}
	}
	conn, err := adoptSocket(uintptr(ours))
	if err != nil {
		_ = unix.Close(theirs)
		return nil, &SetupError{Stage: "runner socket", Err: err}
	}
	r := &runnerProc{keeper: k, conn: connLink{conn}, pidfd: -1, fresh: true}
	for range 2 { // for either half of it
		err = errors.Join(err, writeFrame(r.conn, msgConf, c.encode().b))
	}
	if err == nil {
		err = k.send(msgRunner, theirs)
	}
	_ = unix.Close(theirs)
	if err == nil {
		err = r.awaitReady()
	} else {
		err = &SetupError{Stage: "runner", Err: errors.Join(errRunnerLost, err)}
	}
	if err != nil {
		r.close()
		return nil, err
	}
	k.served.Store(true)
	return r, nil
}

// startTimeout bounds the start of a sandbox: a mount or an executable on a file
// system that does not answer must not hang the editor.
const startTimeout = 20 * time.Second

func (r *runnerProc) awaitReady() error {
	if err := r.conn.SetReadDeadline(time.Now().Add(startTimeout)); err != nil {
		return &SetupError{Stage: "runner", Err: err}
	}
	for {
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
			r.held = (&payload{b: f.data}).int() == 1
			return r.conn.SetReadDeadline(time.Time{})
		case msgBorn:
			r.pidfd = takeFD(f.fds)
		case msgFailed:
			p := &payload{b: f.data}
			return &SetupError{Stage: p.string(), Err: errors.New(p.string())}
		}
	}
}

// close lets the runner end its tree and itself, and waits for it.
func (r *runnerProc) close() {
	_ = r.conn.Close()
	r.awaitEnd()
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
	_ = unix.Close(r.pidfd)
	r.pidfd = -1
}

func (r *runnerProc) start(b *box, c Command) (*Process, error) {
	if strings.ContainsRune(c.Path+strings.Join(c.Argv, "")+strings.Join(c.Env, ""), 0) {
		b.give(r, true)
		return nil, &SpawnError{Program: c.Path, Errno: unix.EINVAL}
	}
	f, err := r.request(c)
	if err != nil {
		b.give(r, false)
		return nil, fmt.Errorf("%w: %w", &SetupError{Stage: "start", Err: errRunnerLost}, err)
	}
	reply := &payload{b: f.data}
	if errno := syscall.Errno(reply.int()); errno != 0 {
		b.give(r, true)
		return nil, &SpawnError{Program: c.Path, Errno: errno}
	}
	r.fresh = false
	p := &Process{box: b, runner: r, pid: int(reply.int()), pidfd: takeFD(f.fds)}
	if r.keeper.namespaced {
		p.pid = pidOf(p.pidfd)
		_ = writeFrame(r.conn, msgSeen, nil) // a runner that is gone is noticed by Wait
	}
	return p, nil
}

func (r *runnerProc) request(c Command) (frame, error) {
	var st unix.Stat_t
	if err := unix.Fstat(int(c.Dir.Fd()), &st); err != nil {
		return frame{}, err
	}
	fds := []int{int(c.Stdin.Fd()), int(c.Stdout.Fd()), int(c.Stderr.Fd())}
	if !r.keeper.namespaced {
		fds = append(fds, int(c.Dir.Fd()))
	}
	req := new(payload).putString(c.Path).putStrings(c.Argv).putStrings(c.Env).
		putString(c.Dir.Name()).putInt(int64(st.Dev)).putInt(int64(st.Ino))
	if err := writeFrame(r.conn, msgStart, req.b, fds...); err != nil {
		return frame{}, err
	}
	return readFrame(r.conn)
}

// pidOf is the process id of a pidfd in our own namespace, which is what an
// editor can use. pidfd_open(2), proc_pid_fdinfo(5)
func pidOf(pidfd int) int {
	b, err := os.ReadFile("/proc/self/fdinfo/" + strconv.Itoa(pidfd))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(line, "Pid:"); ok {
			pid, _ := strconv.Atoi(strings.TrimSpace(rest)) // -1 once it has been reaped
			return max(pid, 0)
		}
	}
	return 0
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

// Process is one running command and everything it starts.
type Process struct {
	box    *box
	runner *runnerProc
	pid    int
	pidfd  int
	lost   bool
	alone  bool // the main child was the last of its tree
	over   Overrun

	mu    sync.Mutex // one frame at a time
	ended bool       // the runner may serve another command by now
}

// Pid is the main child's process id on the host.
func (p *Process) Pid() int { return p.pid }

// Wait returns when the main child has ended; its descendants may still run. An
// error means that the sandbox was lost and the tree was killed with it. Call it
// once, then End.
func (p *Process) Wait() (ExitStatus, error) {
	for {
		f, err := readFrame(p.runner.conn)
		if err != nil {
			p.lost = true
			return ExitStatus{}, errRunnerLost
		}
		if f.kind == msgExited {
			d := &payload{b: f.data}
			st := exitStatus(d)
			p.alone = d.int() == 1
			p.overrun(d)
			st.Limit = p.over.Limit
			return st, nil
		}
	}
}

func exitStatus(d *payload) ExitStatus {
	ws := syscall.WaitStatus(d.int())
	st := ExitStatus{
		Code: ws.ExitStatus(), User: time.Duration(d.int()), System: time.Duration(d.int()),
		MaxRSS: d.int(), CoreDump: ws.CoreDump(),
	}
	if ws.Signaled() {
		st.Code, st.Signal = -1, ws.Signal()
	}
	return st
}

// Signal sends sig to every process of the tree. It may be called while Wait
// blocks.
func (p *Process) Signal(sig syscall.Signal) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return os.ErrProcessDone
	}
	return writeFrame(p.runner.conn, msgSignal, new(payload).putInt(int64(sig)).b)
}

// Kill sends SIGKILL to every process of the tree; Wait and End then return.
func (p *Process) Kill() error { return p.Signal(syscall.SIGKILL) }

// endTimeout bounds how long End waits for processes stuck in the kernel.
const endTimeout = 10 * time.Second

// End kills whatever the main child left, tells what that was, and returns when
// the kernel says that nothing of the tree is left. Call it once, after Wait.
func (p *Process) End() ([]Leftover, error) {
	p.mu.Lock()
	p.ended = true
	_ = unix.Close(p.pidfd)
	p.mu.Unlock()
	if p.lost {
		p.settle()
		return nil, errRunnerLost
	}
	if p.alone {
		p.box.give(p.runner, true)
		return nil, nil
	}
	left, err := p.end()
	if err != nil {
		p.settle()
		return left, err
	}
	p.box.give(p.runner, true)
	return left, nil
}

// settle ends what a lost runner may have left.
func (p *Process) settle() {
	k := p.runner.keeper
	p.runner.end()
	p.box.give(p.runner, false)
	if err := k.settle(); err != nil {
		killOrphans() // the keeper is lost, too: they fell to us
	}
}

// end makes sure of it: a runner that does not answer is killed.
func (r *runnerProc) end() {
	r.kill()
	r.awaitEnd()
}

func (r *runnerProc) kill() {
	if r.pidfd >= 0 {
		_ = unix.PidfdSendSignal(r.pidfd, unix.SIGKILL, nil, 0)
	}
}

func (p *Process) end() ([]Leftover, error) {
	conn := p.runner.conn
	if err := conn.SetReadDeadline(time.Now().Add(endTimeout)); err != nil {
		return nil, err
	}
	if err := writeFrame(conn, msgEnd, nil); err != nil {
		return nil, errRunnerLost
	}
	f, err := readFrame(conn)
	if err != nil || f.kind != msgEnded {
		return nil, fmt.Errorf("%w: processes may be left", errRunnerLost)
	}
	d := &payload{b: f.data}
	var left []Leftover
	for range d.int() {
		left = append(left, Leftover{PID: int(d.int()), Name: d.string()})
	}
	p.overrun(d)
	return left, conn.SetReadDeadline(time.Time{})
}

// overrun reads what the runner says at the main child's end, and again at its
// tree's.
func (p *Process) overrun(d *payload) {
	if first := Limit(d.string()); p.over.Limit == "" {
		p.over.Limit = first
	}
	p.over.Total = int(d.int())
	p.over.Violations = d.violations()
}

// Overrun is what was refused to the command and its tree. Call it after End.
func (p *Process) Overrun() Overrun { return p.over }

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
