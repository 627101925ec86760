package sandbox

import (
	"math"
	"time"

	"golang.org/x/sys/unix"
)

// forkGap is the time between two looks when a tree forks all the time: each look is
// at every process of the machine.
const forkGap = 5 * time.Millisecond

// watch looks at the tree until it is settled, or until what it left has ended.
func (p *Process) watch() {
	defer close(p.unwatched)
	w := watch{limits: p.box.belt.policy.Limits}
	next := soonest
	p.forks.watch([]procRow{{pid: p.pid, start: p.tree.family.born}})
	for {
		p.forks.wait(next)
		select {
		case <-p.stop:
			return
		default:
		}
		before := time.Now()
		rows, err := p.tree.look()
		if err != nil {
			next = latest // a table that can't be had now may be had later; End says if not
			continue
		}
		if len(rows) == 0 && p.gone() {
			return
		}
		if p.marked(rows) {
			p.forks.watch(nil)
		} else {
			p.forks.watch(rows)
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

// marked says that whoever leaves the tree unseen is found by its sandbox, so that
// nobody needs to look at every fork.
func (p *Process) marked(rows []procRow) bool {
	return p.tree.marks != nil && len(rows) > 0 && p.tree.marks.has(rows[0].pid)
}

// weigh ends a tree that takes more than it may, and says when to look again.
func (p *Process) weigh(w *watch, rows []procRow, before time.Time) time.Duration {
	if !p.box.confined() {
		return slowest // mode off has no limits
	}
	u := taken(rows)
	u.free = p.box.free()
	limit := w.judge(u, time.Now())
	next := w.next(u, time.Since(before))
	if limit == "" {
		return next
	}
	p.mu.Lock()
	if p.limit == "" {
		p.exceeded(limit)
	}
	p.mu.Unlock()
	_ = p.tree.kill() // what it misses is killed at the next look
	return soonest
}

// free is what the fullest disk has left of those that commands may write, -1 for
// unknown.
func (b *box) free() int64 {
	least := int64(-1)
	roots := append([]string{b.belt.home}, b.belt.policy.Caches...)
	if b.belt.policy.Mode == WorkspaceWrite {
		roots = append(roots, b.belt.policy.Writable...)
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
