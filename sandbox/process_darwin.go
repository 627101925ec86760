package sandbox

import (
	"math"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/inside"
	"github.com/pillion-sidecar/pillion/sandbox/limits"
	"github.com/pillion-sidecar/pillion/sandbox/policy"
	"github.com/pillion-sidecar/pillion/sandbox/proc"
	"github.com/pillion-sidecar/pillion/sandbox/wire"
)

// child is a command that we look at.
type child struct {
	mark  string // its own file of marks, "" in mode off
	tree  *proc.Tree
	forks *proc.Forks

	exited    chan struct{} // closed when status and err are there
	status    ExitStatus
	err       error
	stop      chan struct{} // closed when no watch is needed any more
	unwatched chan struct{} // closed when none is
	settling  sync.Once
	unsettled error

	parked bool // what it left stays
	clean  bool // forks is closed
}

// follow waits for the main child, and watches all of them.
func (p *Process) follow() {
	var m *proc.Marks
	if p.mark != "" {
		m = &proc.Marks{Own: p.mark, None: filepath.Join(filepath.Dir(p.box.belt.Box), inside.NoMark)}
	}
	p.tree = proc.NewTree(p.pid, m) // before it is waited for: its number is its own until then
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
	switch limits := p.box.belt.Policy.Limits; {
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

func (p *Process) wait() (ExitStatus, error) {
	<-p.exited
	return p.status, p.err
}

func (p *Process) signal(sig syscall.Signal) error {
	_, err := p.tree.Signal(sig)
	return err
}

func (p *Process) kill() error { return p.tree.Kill() }

// exceeded notes the limit that the command is over; p.mu is held.
func (p *Process) exceeded(l Limit) {
	p.limit = l
	p.seen.Add(wire.Refused{Rows: []Violation{policy.LimitViolation(l, AttributionReported)}, Total: 1})
}

func (p *Process) end(leave bool) ([]Leftover, error) {
	rows, err := p.tree.Look()
	if err != nil {
		if serr := p.endLost(); serr != nil {
			err = serr
		}
		return nil, err
	}
	var left []Leftover
	for _, r := range rows {
		left = append(left, Leftover{PID: r.Pid, Name: r.Name})
	}
	if leave && len(left) > 0 && p.stay(left) {
		return left, nil
	}
	return left, p.endLost()
}

// leftState is a command whose main child has ended.
type leftState struct{ p *Process }

// stay leaves what is there.
func (p *Process) stay(left []Leftover) bool {
	if !p.park(left, &leftState{p}) {
		return false
	}
	p.box.untrack(p)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.parked = true
	return true
}

func (l *leftTree) watch() {
	<-l.p.unwatched
	l.forget()
}

func (l *leftTree) end() {
	rows, _ := l.p.tree.Look() // what could not be seen is ended, not counted
	l.killed = len(rows)
	_ = l.p.endLost()
}

func (l *leftTree) now() (all []Left) {
	rows, _ := l.p.tree.Look() // asked again, it may answer
	for _, r := range rows {
		all = append(all, Left{PID: r.Pid, Command: r.Name, Exec: l.exec})
	}
	return all
}

// endLost ends all of the tree and gives up what watches it. Its error says that
// something may be left.
func (p *Process) endLost() error {
	p.settling.Do(func() {
		p.unsettled = p.tree.End(wire.EndTimeout)
		close(p.stop)
		p.wake()
		<-p.unwatched
		p.cleanup()
	})
	return p.unsettled
}

// wake lets the watch look at once.
func (p *Process) wake() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.clean {
		p.forks.Wake()
	}
}

// cleanup gives up what the command had of us besides its processes. It may be
// called again.
func (p *Process) cleanup() {
	p.mu.Lock()
	done := p.clean
	p.clean = true
	p.mu.Unlock()
	if done {
		return
	}
	_ = p.forks.Close()
	if p.mark != "" {
		_ = os.Remove(p.mark)
	}
	b := p.box
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.running, p)
	if p.pid != 0 {
		b.keeper.strike(p.pid)
	}
}

// forkGap is the time between two looks when a tree forks all the time: each look is
// at every process of the machine.
const forkGap = 5 * time.Millisecond

// watch looks at the tree until it is settled, or until what it left has ended.
func (p *Process) watch() {
	defer close(p.unwatched)
	w := limits.Watch{Limits: p.box.belt.Policy.Limits}
	next := limits.Soonest
	p.forks.Watch([]proc.Row{{Pid: p.pid, Start: p.tree.Family.Born}})
	for {
		p.forks.Wait(next)
		select {
		case <-p.stop:
			return
		default:
		}
		before := time.Now()
		rows, err := p.tree.Look()
		if err != nil {
			next = limits.Latest // a table that can't be had now may be had later; End says if not
			continue
		}
		if len(rows) == 0 && p.gone() {
			return
		}
		if p.marked(rows) {
			p.forks.Watch(nil)
		} else {
			p.forks.Watch(rows)
			time.Sleep(forkGap)
		}
		next = p.weigh(&w, rows, before)
	}
}

// gone ends the story of what was left on purpose. Nothing of it is there any more.
func (p *Process) gone() bool {
	p.mu.Lock()
	parked := p.parked
	p.mu.Unlock()
	if parked {
		p.cleanup()
	}
	return parked
}

// marked says that a process that leaves the tree unseen is found by its sandbox, so that
// not every fork has to be looked at.
func (p *Process) marked(rows []proc.Row) bool {
	return p.tree.Marks != nil && len(rows) > 0 && p.tree.Marks.Has(rows[0].Pid)
}

// weigh ends a tree that takes more than it may, and says when to look again.
func (p *Process) weigh(w *limits.Watch, rows []proc.Row, before time.Time) time.Duration {
	if !p.box.confined() {
		return limits.Slowest // mode off has no limits
	}
	u := taken(rows)
	u.Free = p.box.free()
	limit := w.Judge(u, time.Now())
	next := w.Next(u, time.Since(before))
	if limit == "" {
		return next
	}
	p.mu.Lock()
	if p.limit == "" {
		p.exceeded(limit)
	}
	p.mu.Unlock()
	_ = p.tree.Kill() // what it misses is killed at the next look
	return limits.Soonest
}

// free is what the fullest disk has left of those that commands may write, -1 for
// unknown.
func (b *box) free() int64 {
	least := int64(-1)
	roots := append([]string{b.belt.Home}, b.belt.Policy.Caches...)
	if b.belt.Policy.Mode == WorkspaceWrite {
		roots = append(roots, b.belt.Policy.Writable...)
	}
	for _, dir := range roots {
		var fs unix.Statfs_t
		if unix.Statfs(dir, &fs) != nil || fs.Blocks == 0 || fs.Bsize == 0 {
			continue
		}
		free := int64(min(fs.Bavail, math.MaxInt64/uint64(fs.Bsize))) * int64(fs.Bsize)
		if least < 0 || free < least {
			least = free
		}
	}
	return least
}

// taken is what processes take together. The footprint is what the system itself
// counts against a process: memory that is only its own, compressed and swapped, too.
func taken(rows []proc.Row) limits.Usage {
	u := limits.Usage{Tasks: len(rows), Free: -1}
	for _, r := range rows {
		memory, cpu := proc.ProcessUsage(r.Pid)
		u.Memory += memory
		u.CPU += cpu
	}
	return u
}
