package sandbox

import (
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

// Process is one running command and everything it starts.
type Process struct {
	box   *box
	id    string // Command.ID
	pid   int
	mark  string // its own file of marks, "" in mode off
	tree  *tree
	forks *forks

	exited    chan struct{} // closed when status and err are there
	status    ExitStatus
	err       error
	stop      chan struct{} // closed when nobody needs to watch any more
	unwatched chan struct{} // closed when nobody does
	settling  sync.Once
	unsettled error

	mu     sync.Mutex
	ended  bool // End was called
	parked bool // what it left stays
	clean  bool // forks is closed
	limit  Limit
	seen   violated
}

// Pid is the main child's process id on the host.
func (p *Process) Pid() int { return p.pid }

// follow waits for the main child, and watches all of them.
func (p *Process) follow() {
	var m *marks
	if p.mark != "" {
		m = &marks{own: p.mark, none: filepath.Join(filepath.Dir(p.box.belt.box), noMark)}
	}
	p.tree = newTree(p.pid, m) // before it is waited for: its number is its own until then
	p.box.ending.Go(p.reap)
	p.box.ending.Go(p.watch)
}

func (p *Process) reap() {
	defer close(p.exited)
	var ws syscall.WaitStatus
	var ru syscall.Rusage
	for {
		_, err := syscall.Wait4(p.pid, &ws, 0, &ru)
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			p.err = os.NewSyscallError("wait4", err)
			return
		}
		break
	}
	p.status = exitStatus(ws, ru)
	p.mu.Lock()
	defer p.mu.Unlock()
	switch limits := p.box.belt.policy.Limits; {
	case p.limit != "" || !p.box.confined():
	case p.status.Signal == syscall.SIGXFSZ:
		p.exceeded(LimitFileSize)
	case p.status.Signal == syscall.SIGXCPU && limits.CPU > 0:
		p.exceeded(LimitCPU)
	}
	p.status.Limit = p.limit
}

func exitStatus(ws syscall.WaitStatus, ru syscall.Rusage) ExitStatus {
	st := ExitStatus{
		Code: ws.ExitStatus(), User: time.Duration(ru.Utime.Nano()), System: time.Duration(ru.Stime.Nano()),
		MaxRSS: ru.Maxrss, CoreDump: ws.CoreDump(), // bytes, unlike Linux. getrusage(2)
	}
	if ws.Signaled() {
		st.Code, st.Signal = -1, ws.Signal()
	}
	return st
}

// Wait returns when the main child has ended; its descendants may still run. An
// error means that nothing is known of its end. Call it once, then End.
func (p *Process) Wait() (ExitStatus, error) {
	<-p.exited
	return p.status, p.err
}

// Signal sends sig to every process of the tree. It may be called while Wait
// blocks.
func (p *Process) Signal(sig syscall.Signal) error {
	p.mu.Lock()
	ended := p.ended
	p.mu.Unlock()
	if ended {
		return os.ErrProcessDone
	}
	_, err := p.tree.signal(sig)
	return err
}

// Kill sends SIGKILL to every process of the tree; Wait and End then return.
func (p *Process) Kill() error { return p.tree.kill() }

// Violations are what we ended the command for: what the kernel refuses it tells
// nobody but the program. They are complete after End.
func (p *Process) Violations() (rows []Violation, total int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.seen.rows, p.seen.total
}

// Limit is the limit that ended the command, "" if none did. It is complete after
// End.
func (p *Process) Limit() Limit {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.limit
}

// exceeded notes the limit that the command is over; p.mu is held.
func (p *Process) exceeded(l Limit) {
	p.limit = l
	p.seen.add(violated{rows: []Violation{overrun(l, AttributionReported)}, total: 1})
}
