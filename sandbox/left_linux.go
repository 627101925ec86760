package sandbox

import (
	"sync"
	"time"
)

// leftTree is what a command left running on purpose. Its runner stays with it,
// and serves another command only when all of it has ended.
type leftTree struct {
	box    *box
	runner *runnerProc
	exec   string
	first  []Leftover    // as it was when the main child had ended
	gone   chan struct{} // closed when nothing of it is left

	mu     sync.Mutex
	ending bool // msgEnd was sent
	over   bool // the runner may be somebody else's by now
	killed int
}

// park keeps a runner with what its command left. It refuses once the box is
// closing: then everything must end.
func (b *box) park(l *leftTree) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return false
	}
	b.left[l] = struct{}{}
	b.rest()
	b.ending.Go(l.watch)
	return true
}

// watch waits for the end of the tree, by itself or by end.
func (l *leftTree) watch() {
	healthy := l.await()
	if !healthy {
		l.runner.settle()
	} else if l.runner.conn.SetReadDeadline(time.Time{}) != nil {
		healthy = false
	}
	b := l.box
	b.mu.Lock()
	delete(b.left, l)
	b.used = time.Now()
	b.keep(l.runner, healthy)
	close(l.gone)
}

// await reports whether the runner is well afterwards.
func (l *leftTree) await() bool {
	for {
		f, err := readFrame(l.runner.conn)
		l.mu.Lock()
		// One that ended by itself while end was asking answers both.
		l.over = err != nil || f.kind == msgEnded || f.kind == msgEmpty && !l.ending
		if f.kind == msgEnded {
			l.killed = len(decodeLeft(&payload{b: f.data}))
		}
		over := l.over
		l.mu.Unlock()
		if over {
			return err == nil
		}
	}
}

// end kills the tree; gone is closed when that is done.
func (l *leftTree) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over || l.ending {
		return
	}
	l.ending = true
	// A runner that is gone, or does not answer, is noticed by await.
	_ = l.runner.conn.SetReadDeadline(time.Now().Add(endTimeout))
	_ = writeFrame(l.runner.conn, msgEnd, nil)
}

// endLeft kills everything that commands have left, and counts it.
func (b *box) endLeft() (killed int) {
	trees := b.trees()
	for _, l := range trees {
		l.end()
	}
	for _, l := range trees {
		<-l.gone
		killed += l.killed
	}
	return killed
}

func (b *box) trees() []*leftTree {
	b.mu.Lock()
	defer b.mu.Unlock()
	var all []*leftTree
	for l := range b.left {
		all = append(all, l)
	}
	return all
}

// leftNow describes what commands have left and is still there.
func (b *box) leftNow() []Left {
	var all []Left
	for _, l := range b.trees() {
		all = append(all, l.now()...)
	}
	return all
}

// now looks the tree up in the host's /proc. Where that is hidden from us, what
// was there at first is told without numbers.
func (l *leftTree) now() []Left {
	var all []Left
	for _, p := range hostTree(l.runner.host) {
		if !p.zombie {
			all = append(all, Left{PID: p.pid, Command: commandLine(p), Exec: l.exec})
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.over: // the number we looked below may be somebody else's by now
		return nil
	case all != nil:
		return all
	}
	for _, p := range l.first {
		all = append(all, Left{PID: p.PID, Command: p.Name, Exec: l.exec})
	}
	return all
}

// settle ends what a lost runner may have left, and the runner, should it only
// not answer.
func (r *runnerProc) settle() {
	r.group.kill()
	r.kill()
	r.awaitEnd()
	if err := r.keeper.settle(); err != nil {
		r.keeper.kill() // it is lost, too: what they had falls to us
		killOrphans()
	}
	r.forget()
}
