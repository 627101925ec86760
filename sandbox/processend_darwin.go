package sandbox

import (
	"os"
	"time"
)

// endTimeout bounds how long End waits for processes stuck in the kernel.
const endTimeout = 10 * time.Second

// End deals with what the main child left, and tells what that was. It is killed,
// and End returns when nothing of the tree is left; or, with leave, it stays in the
// sandbox until it ends by itself, Manager.Reset or Manager.Close. Call it once,
// after Wait.
func (p *Process) End(leave bool) ([]Leftover, error) {
	p.mu.Lock()
	p.ended = true
	p.mu.Unlock()
	defer p.box.unhold()
	rows, err := p.tree.look()
	if err != nil {
		if serr := p.settle(); serr != nil {
			err = serr
		}
		return nil, err
	}
	var left []Leftover
	for _, r := range rows {
		left = append(left, Leftover{PID: r.pid, Name: r.name})
	}
	if leave && len(left) > 0 && p.park() {
		for i := range left {
			left[i].Left = true
		}
		return left, nil
	}
	return left, p.settle()
}

// park leaves what is there. It refuses once the box is closing: then everything
// must end.
func (p *Process) park() bool {
	b := p.box
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return false
	}
	delete(b.running, p)
	b.left[p] = struct{}{}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.parked = true
	return true
}

// retire ends what is left, whoever should have.
func (p *Process) retire() { _ = p.settle() }

// settle ends all of the tree and gives up what watches it. Its error says that
// something may be left.
func (p *Process) settle() error {
	p.settling.Do(func() {
		p.unsettled = p.tree.end(endTimeout)
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
		p.forks.wake()
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
	_ = p.forks.close()
	if p.mark != "" {
		_ = os.Remove(p.mark)
	}
	b := p.box
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.running, p)
	delete(b.left, p)
	if p.pid != 0 {
		b.keeper.strike(p.pid)
	}
}
