package sandbox

import (
	"errors"
	"fmt"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/proc"
	"github.com/pillion-sidecar/pillion/sandbox/wire"
)

// child is a command that a runner serves.
type child struct {
	ears // the ports it listens on

	runner *runnerProc
	lost   bool
	alone  bool // the main child was the last of its tree
}

// maxLost bounds how many runners may turn out to be dead before one command starts: more
// than that is not an accident.
const maxLost = maxIdle + 1

func (b *box) start(c Command) (*Process, error) {
	for lost := 0; ; lost++ {
		r, err := b.take()
		if err != nil {
			return nil, err
		}
		p, err := r.start(b, c)
		if errors.Is(err, errNeverRead) && lost < maxLost {
			continue // it died while idle; nothing was started
		}
		return p, err
	}
}

func (r *runnerProc) start(b *box, c Command) (*Process, error) {
	e := ears{tell: c.Listens}
	nears, err := e.near(c.Nears)
	if err != nil {
		b.keep(r, true)
		return nil, &SetupError{Stage: "start", Err: err}
	}
	f, err := r.request(c, b.pointing(), nears)
	if err != nil {
		e.deaf()
		lost := lostBy(err)
		if lost != errNeverRead {
			r.endLost()
		}
		b.keep(r, false)
		return nil, fmt.Errorf("%w: %w", &SetupError{Stage: "start", Err: lost}, err)
	}
	var reply wire.Started
	if f.Decode(&reply) != nil {
		reply.Errno = int(unix.EPROTO)
	}
	if reply.Errno != 0 {
		e.deaf()
		b.keep(r, true)
		return nil, &SpawnError{Program: c.Path, Errno: syscall.Errno(reply.Errno)}
	}
	pidfd := takeFD(f.FDs)
	p := &Process{box: b, id: c.ID, pid: reply.PID, child: child{runner: r, ears: e}}
	if r.keeper.namespaced {
		p.pid = proc.PIDOf(pidfd)
		_ = wire.Send(r.conn, wire.MsgSeen, nil) // a runner that is gone is noticed by wait
	}
	_ = unix.Close(pidfd)
	if !b.track(p) {
		_ = p.kill()
	}
	return p, nil
}

// lostBy distinguishes a runner that never read its request from one that may have begun.
// The kernel resets a connection whose other end was closed over unread bytes.
func lostBy(err error) error {
	if errors.Is(err, unix.EPIPE) || errors.Is(err, unix.ECONNRESET) {
		return errNeverRead
	}
	return errRunnerLost
}

func (r *runnerProc) request(c Command, pointed []string, nears int) (wire.Frame, error) {
	if nears >= 0 {
		defer unix.Close(nears)
	}
	var st unix.Stat_t
	if err := unix.Fstat(int(c.Dir.Fd()), &st); err != nil {
		return wire.Frame{}, err
	}
	fds := []int{int(c.Stdin.Fd()), int(c.Stdout.Fd()), int(c.Stderr.Fd())}
	if !r.keeper.namespaced {
		fds = append(fds, int(c.Dir.Fd()))
	}
	if nears >= 0 {
		fds = append(fds, nears)
	}
	err := wire.Send(r.conn, wire.MsgStart, wire.Start{
		Path: c.Path, Argv: c.Argv, Env: c.Env, Dir: c.Dir.Name(), Dev: int64(st.Dev), Ino: int64(st.Ino),
		Terminal: c.Terminal, Pointed: pointed, Entry: c.Entry, EntryMeta: c.EntryMeta, KeepAll: c.KeepAll,
	}, fds...)
	if err != nil {
		return wire.Frame{}, err
	}
	return wire.Receive(r.conn)
}

func (p *Process) wait() (ExitStatus, error) {
	for {
		f, err := wire.Receive(p.runner.conn)
		if err != nil {
			p.lost = true
			return ExitStatus{}, errRunnerLost
		}
		switch f.Kind {
		case wire.MsgRefused:
			p.violate(f)
		case wire.MsgListens:
			p.hear(f)
		case wire.MsgExited:
			var m wire.Exited
			if err := f.Decode(&m); err != nil {
				p.lost = true
				return ExitStatus{}, errRunnerLost
			}
			p.alone = m.Alone
			p.over(m.Limit)
			return exitStatus(m), nil
		}
	}
}

// violate takes over what the sandbox refused since the last time.
func (p *Process) violate(f wire.Frame) {
	var more wire.Refused
	if f.Decode(&more) == nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.seen.Add(more)
	}
}

func (p *Process) over(l Limit) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.limit = l
}

func exitStatus(m wire.Exited) ExitStatus {
	ws := syscall.WaitStatus(m.Status)
	st := ExitStatus{
		Code: ws.ExitStatus(), User: m.User, System: m.System, MaxRSS: m.MaxRSS, CoreDump: ws.CoreDump(), Limit: m.Limit,
	}
	if ws.Signaled() {
		st.Code, st.Signal = -1, ws.Signal()
	}
	return st
}

func (p *Process) signal(sig syscall.Signal) error {
	return wire.Send(p.runner.conn, wire.MsgSignal, int(sig))
}

func (p *Process) kill() error { return p.Signal(syscall.SIGKILL) }

func (p *Process) end(leave bool) ([]Leftover, error) {
	p.box.untrack(p)
	parked := false
	defer func() {
		if !parked {
			p.deaf()
		}
	}()
	switch {
	case p.lost:
		return nil, p.endLost(errRunnerLost)
	case p.alone:
		p.box.keep(p.runner, true)
		return nil, nil
	}
	kind := byte(wire.MsgEnd)
	if leave {
		kind = wire.MsgLeave
	}
	left, rest, err := p.ask(kind)
	if err == nil && rest {
		if parked = p.park(left, &leftState{runner: p.runner, ears: p.ears, first: slices.Clone(left)}); parked {
			return left, nil
		}
		left, _, err = p.ask(wire.MsgEnd) // the sandbox is closing
	}
	if err != nil {
		return left, p.endLost(err)
	}
	p.box.keep(p.runner, true)
	return left, nil
}

// endLost ends what a lost runner may have left.
func (p *Process) endLost(err error) error {
	p.runner.endLost()
	p.box.keep(p.runner, false)
	return err
}

// ask has the runner to deal with what is left. rest says that something still
// is.
func (p *Process) ask(kind byte) (left []Leftover, rest bool, err error) {
	conn := p.runner.conn
	if err := conn.SetReadDeadline(time.Now().Add(wire.EndTimeout)); err != nil {
		return nil, false, err
	}
	numbers := p.numbers() // of processes that may be gone when the answer comes
	if err := wire.Send(conn, kind, nil); err != nil {
		return nil, false, errRunnerLost
	}
	for {
		f, err := wire.Receive(conn)
		switch {
		case err == nil && f.Kind == wire.MsgRefused:
			p.violate(f)
			continue
		case err == nil && f.Kind == wire.MsgListens:
			p.hear(f)
			continue
		case err == nil && f.Kind == wire.MsgEmpty:
			continue // what was to stay has ended by itself since; our answer follows
		case err != nil:
			return nil, false, fmt.Errorf("%w (%w): processes may be left", errRunnerLost, err)
		case f.Kind == wire.MsgFailed:
			var m wire.Failed
			_ = f.Decode(&m)
			return nil, false, fmt.Errorf("%w (%s: %s): processes may be left", errRunnerLost, m.Stage, m.Reason)
		case f.Kind != wire.MsgEnded:
			return nil, false, fmt.Errorf("%w (it said %d): processes may be left", errRunnerLost, f.Kind)
		}
		var m wire.Ended
		if err := f.Decode(&m); err != nil {
			return nil, false, fmt.Errorf("%w (%w): processes may be left", errRunnerLost, err)
		}
		p.over(m.Limit)
		for i := range m.Left {
			m.Left[i].PID = numbers(m.Left[i].PID)
		}
		return m.Left, m.Still, conn.SetReadDeadline(time.Time{})
	}
}

// numbers turns the runner's process ids into the host's, or into 0.
func (p *Process) numbers() func(int) int {
	if !p.runner.keeper.namespaced {
		return func(pid int) int { return pid }
	}
	host := proc.Numbers(p.runner.host)
	return func(pid int) int { return host[pid] }
}
