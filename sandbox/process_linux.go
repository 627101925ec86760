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
	r := &runnerProc{keeper: k, conn: connLink{conn}, pidfd: -1}
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
	k.know(r.host)
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
			r.host = pidOf(r.pidfd)
		case msgFailed:
			p := &payload{b: f.data}
			return &SetupError{Stage: p.string(), Err: errors.New(p.string())}
		}
	}
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

func (r *runnerProc) start(b *box, c Command) (*Process, error) {
	if strings.ContainsRune(c.Path+strings.Join(c.Argv, "")+strings.Join(c.Env, ""), 0) {
		b.give(r, true)
		return nil, &SpawnError{Program: c.Path, Errno: unix.EINVAL}
	}
	f, err := r.request(c)
	if err != nil {
		lost := lostBy(err)
		if lost != errNeverRead {
			r.settle()
		}
		b.give(r, false)
		return nil, fmt.Errorf("%w: %w", &SetupError{Stage: "start", Err: lost}, err)
	}
	reply := &payload{b: f.data}
	if errno := syscall.Errno(reply.int()); errno != 0 {
		b.give(r, true)
		return nil, &SpawnError{Program: c.Path, Errno: errno}
	}
	p := &Process{box: b, runner: r, id: c.ID, pid: int(reply.int()), pidfd: takeFD(f.fds)}
	if r.keeper.namespaced {
		p.pid = pidOf(p.pidfd)
		_ = writeFrame(r.conn, msgSeen, nil) // a runner that is gone is noticed by Wait
	}
	b.track(p)
	return p, nil
}

// lostBy tells a runner that never read its request from one that may have begun.
// The kernel resets a connection whose other end was closed over unread bytes.
func lostBy(err error) error {
	if errors.Is(err, unix.EPIPE) || errors.Is(err, unix.ECONNRESET) {
		return errNeverRead
	}
	return errRunnerLost
}

// track notes a running command, which must end with its box.
func (b *box) track(p *Process) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.running[p] = struct{}{}
	if b.closed {
		_ = p.Kill()
	}
}

func (b *box) untrack(p *Process) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.running, p)
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
	id     string // Command.ID
	lost   bool
	alone  bool // the main child was the last of its tree
	limit  Limit
	seen   violated

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
		switch f.kind {
		case msgRefused:
			p.violate(f.data)
		case msgExited:
			d := &payload{b: f.data}
			st := exitStatus(d)
			p.alone = d.int() == 1
			p.limit = Limit(d.string())
			return st, nil
		}
	}
}

// violate takes over what the sandbox refused since the last time.
func (p *Process) violate(data []byte) {
	if more, err := decodeViolated(data); err == nil {
		p.seen.add(more)
	}
}

// Violations are what the sandbox refused, at most 64 distinct ones, and how many
// there were in all. They are complete after End.
func (p *Process) Violations() (rows []Violation, total int) { return p.seen.rows, p.seen.total }

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

// End deals with what the main child left, and tells what that was. It is killed,
// and End returns when the kernel says that nothing of the tree is left; or, with
// leave, it stays in the sandbox until it ends by itself, Manager.Reset or
// Manager.Close. Call it once, after Wait.
func (p *Process) End(leave bool) ([]Leftover, error) {
	p.mu.Lock()
	p.ended = true
	_ = unix.Close(p.pidfd)
	p.mu.Unlock()
	p.box.untrack(p)
	if p.lost {
		return nil, p.settle(errRunnerLost)
	}
	if p.alone {
		p.box.give(p.runner, true)
		return nil, nil
	}
	kind := byte(msgEnd)
	if leave {
		kind = msgLeave
	}
	left, rest, err := p.end(kind)
	if err != nil {
		return left, p.settle(err)
	}
	if rest {
		if p.park(left) {
			return left, nil
		}
		if left, _, err = p.end(msgEnd); err != nil { // the sandbox is closing
			return left, p.settle(err)
		}
	}
	p.box.give(p.runner, true)
	return left, nil
}

// settle ends what a lost runner may have left.
func (p *Process) settle(err error) error {
	p.runner.settle()
	p.box.give(p.runner, false)
	return err
}

// park leaves the runner with what the command left.
func (p *Process) park(left []Leftover) bool {
	for i := range left {
		left[i].Left = true
	}
	return p.box.park(&leftTree{box: p.box, runner: p.runner, exec: p.id, first: left, gone: make(chan struct{})})
}

// end asks the runner to deal with what is left. rest says that something still
// is.
func (p *Process) end(kind byte) (left []Leftover, rest bool, err error) {
	conn := p.runner.conn
	if err := conn.SetReadDeadline(time.Now().Add(endTimeout)); err != nil {
		return nil, false, err
	}
	numbers := p.numbers() // of processes that may be gone when the answer comes
	if err := writeFrame(conn, kind, nil); err != nil {
		return nil, false, errRunnerLost
	}
	for {
		f, err := readFrame(conn)
		switch {
		case err == nil && f.kind == msgRefused:
			p.violate(f.data)
			continue
		case err != nil || f.kind != msgEnded:
			return nil, false, fmt.Errorf("%w: processes may be left", errRunnerLost)
		}
		d := &payload{b: f.data}
		left = decodeLeft(d)
		rest = d.int() == 1
		p.limit = Limit(d.string())
		for i := range left {
			left[i].PID = numbers(left[i].PID)
		}
		return left, rest, conn.SetReadDeadline(time.Time{})
	}
}

// numbers turns the runner's process ids into the host's, or into 0.
func (p *Process) numbers() func(int) int {
	if !p.runner.keeper.namespaced {
		return func(pid int) int { return pid }
	}
	host := hostNumbers(p.runner.host)
	return func(pid int) int { return host[pid] }
}

func decodeLeft(d *payload) []Leftover {
	var left []Leftover
	for n := d.int(); n > 0 && d.err == nil; n-- {
		left = append(left, Leftover{PID: int(d.int()), Name: d.string()})
	}
	return left
}

// Limit is the limit that ended the command, "" if none did. It is complete after
// End.
func (p *Process) Limit() Limit { return p.limit }

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
