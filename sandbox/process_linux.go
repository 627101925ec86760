package sandbox

import (
	"os"
	"sync"
	"syscall"
	"time"
)

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
			st.Limit = p.limit
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

// Limit is the limit that ended the command, "" if none did. It is complete after
// End.
func (p *Process) Limit() Limit { return p.limit }
