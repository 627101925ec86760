package sandbox

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
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
	cmd   *exec.Cmd
	conn  connLink
	fresh bool // has not served a command yet
}

// newRunner starts this very binary again; /proc/self/exe is the running one
// even when an update has replaced the file.
func (b *box) newRunner() (*runnerProc, error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, &SetupError{Stage: "runner socket", Err: err}
	}
	theirs := os.NewFile(uintptr(fds[1]), "runner socket")
	defer theirs.Close()
	conn, err := adoptSocket(uintptr(fds[0]))
	if err != nil {
		return nil, &SetupError{Stage: "runner socket", Err: err}
	}
	args := []string{runnerName, string(b.policy.Mode), string(b.policy.Network), b.dir}
	cmd := &exec.Cmd{
		Path: "/proc/self/exe", Args: append(args, b.policy.writable(b.homeDir(), b.tmpDir())...),
		Env: []string{}, Dir: "/", Stderr: os.Stderr,
		ExtraFiles:  []*os.File{theirs, b.lock},
		SysProcAttr: &syscall.SysProcAttr{Setsid: true}, // a Ctrl-C at our terminal is not theirs
	}
	if b.ruleset != nil {
		cmd.ExtraFiles = append(cmd.ExtraFiles, b.ruleset)
	}
	if err := cmd.Start(); err != nil {
		_ = conn.Close()
		return nil, &SetupError{Stage: "runner", Err: err}
	}
	r := &runnerProc{cmd: cmd, conn: connLink{conn}, fresh: true}
	if err := r.awaitReady(); err != nil {
		r.close()
		return nil, err
	}
	return r, nil
}

func (r *runnerProc) awaitReady() error {
	f, err := readFrame(r.conn)
	if err != nil {
		return &SetupError{Stage: "runner", Err: errRunnerLost}
	}
	if f.kind == msgFailed {
		p := &payload{b: f.data}
		return &SetupError{Stage: p.string(), Err: errors.New(p.string())}
	}
	return nil
}

// close lets the runner end its tree and itself, and waits for it.
func (r *runnerProc) close() {
	_ = r.conn.Close()
	_ = r.cmd.Wait() // its exit code says nothing the socket didn't
}

func (r *runnerProc) start(b *box, c Command) (*Process, error) {
	if strings.ContainsRune(c.Path+strings.Join(c.Argv, "")+strings.Join(c.Env, ""), 0) {
		b.give(r, true)
		return nil, &SpawnError{Program: c.Path, Errno: unix.EINVAL}
	}
	req := new(payload).putString(c.Path).putStrings(c.Argv).putStrings(c.Env)
	err := writeFrame(r.conn, msgStart, req.b, c.Dir, c.Stdin, c.Stdout, c.Stderr)
	var f frame
	if err == nil {
		f, err = readFrame(r.conn)
	}
	if err != nil {
		b.give(r, false)
		return nil, fmt.Errorf("%w: %w", &SetupError{Stage: "start", Err: errRunnerLost}, err)
	}
	reply := &payload{b: f.data}
	pid, errno := int(reply.int()), syscall.Errno(reply.int())
	if errno != 0 {
		b.give(r, true)
		return nil, &SpawnError{Program: c.Path, Errno: errno}
	}
	r.fresh = false
	return &Process{box: b, runner: r, pid: pid}, nil
}

// Process is one running command and everything it starts.
type Process struct {
	box    *box
	runner *runnerProc
	pid    int
	lost   bool
	alone  bool // the main child was the last of its tree

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
	p.mu.Unlock()
	if p.lost {
		p.box.give(p.runner, false)
		killOrphans()
		return nil, errRunnerLost
	}
	if p.alone {
		p.box.give(p.runner, true)
		return nil, nil
	}
	left, err := p.end()
	p.box.give(p.runner, err == nil)
	if err != nil {
		killOrphans()
	}
	return left, err
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
	return left, conn.SetReadDeadline(time.Time{})
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
