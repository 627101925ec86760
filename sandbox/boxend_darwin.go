package sandbox

import (
	"os"
)

// retire lets no command begin any more. While commands run, or processes are
// left, it does so only if that was said to be no matter. finish must follow.
func (b *box) retire(running, left bool) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed || !running && b.busy > 0 || !left && len(b.left) > 0 {
		return false
	}
	b.closed = true
	return true
}

// finish ends everything in the box, and the box. It tells how many of the
// processes that commands had left it killed.
func (b *box) finish() (killed int) {
	b.mu.Lock()
	for p := range b.running {
		_ = p.Kill()
	}
	b.mu.Unlock()
	killed = b.endLeft()
	b.mu.Lock()
	b.awaitSettled()
	var abandoned []*Process // nobody calls their End
	for p := range b.running {
		abandoned = append(abandoned, p)
	}
	b.mu.Unlock()
	for _, p := range abandoned {
		p.retire()
	}
	if b.egress != nil {
		b.egress.end()
	}
	b.ending.Wait()
	if b.keeper != nil {
		b.keeper.close() // it removes the directory
	}
	_ = b.lock.Close()
	if _, err := os.Lstat(b.dir); err == nil { // it was never started, or is lost
		removeOwn(b.dir)
	}
	return killed
}

// endLeft kills everything that commands have left, and counts it.
func (b *box) endLeft() (killed int) {
	for _, p := range b.leftTrees() {
		rows, _ := p.tree.look() // what could not be seen is ended, not counted
		killed += len(rows)
		p.retire()
	}
	return killed
}

func (b *box) leftTrees() []*Process {
	b.mu.Lock()
	defer b.mu.Unlock()
	var all []*Process
	for p := range b.left {
		all = append(all, p)
	}
	return all
}

// leftNow describes what commands have left and is still there.
func (b *box) leftNow() []Left {
	var all []Left
	for _, p := range b.leftTrees() {
		rows, err := p.tree.look()
		if err != nil {
			continue // asked again, it may be told
		}
		for _, r := range rows {
			all = append(all, Left{PID: r.pid, Command: r.name, Exec: p.id})
		}
	}
	return all
}
