package sandbox

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

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
		case err == nil && f.kind == msgEmpty:
			continue // what was to stay has ended by itself since; our answer follows
		case err != nil:
			return nil, false, fmt.Errorf("%w (%w): processes may be left", errRunnerLost, err)
		case f.kind == msgFailed:
			p := &payload{b: f.data}
			return nil, false, fmt.Errorf("%w (%s: %s): processes may be left", errRunnerLost, p.string(), p.string())
		case f.kind != msgEnded:
			return nil, false, fmt.Errorf("%w (it said %d): processes may be left", errRunnerLost, f.kind)
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
