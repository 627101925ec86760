package sandbox

import (
	"time"

	"golang.org/x/sys/windows"
)

// leftTree is what a command left running on purpose, in its job.
type leftTree struct {
	job  job
	exec string
	gone chan struct{} // closed when nothing of it runs and the job is closed
	stop chan struct{} // closed when it is to be killed
	ask  bool          // stop is closed; under box.mu
	had  int           // processes that were killed, set before gone
}

// leftPoll is how often a job is looked at whether anything still runs in it.
const leftPoll = 250 * time.Millisecond

// park keeps the job of a command with what it left. It refuses once the box is
// closing: then everything must end.
func (b *box) park(p *Process, _ []Leftover) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return false
	}
	l := &leftTree{job: p.job, exec: p.id, gone: make(chan struct{}), stop: make(chan struct{})}
	b.trees[l] = struct{}{}
	b.rest()
	b.ending.Go(func() { b.watch(l) })
	return true
}

// watch waits for the end of the tree, by itself or by endLeft.
func (b *box) watch(l *leftTree) {
	tick := time.NewTicker(leftPoll)
	defer tick.Stop()
	for running := true; running; {
		select {
		case <-tick.C:
			a, err := l.job.accounting()
			running = err == nil && a.active > 0
		case <-l.stop:
			left, _ := l.job.left(0)
			l.had, running = len(left), false
		}
	}
	_ = l.job.end(killedCode) // should one be stuck, closing the job is all that is left to do
	b.mu.Lock()
	delete(b.trees, l)
	b.used = time.Now()
	_ = l.job.close()
	b.mu.Unlock()
	close(l.gone)
}

// endLeft kills everything that commands have left, and counts it.
func (b *box) endLeft() (killed int) {
	b.mu.Lock()
	var all []*leftTree
	for l := range b.trees {
		all = append(all, l)
		if !l.ask {
			l.ask = true
			close(l.stop)
		}
	}
	b.mu.Unlock()
	for _, l := range all {
		<-l.gone
		killed += l.had
	}
	return killed
}

// leftNow describes what commands have left and is still there.
func (b *box) leftNow() []Left {
	b.mu.Lock()
	defer b.mu.Unlock()
	var all []Left
	for l := range b.trees {
		left, err := l.job.left(0)
		if err != nil {
			continue // the job is listed again by whoever asks next
		}
		for _, p := range left {
			all = append(all, Left{PID: p.PID, Command: p.Name, Exec: l.exec})
		}
	}
	return all
}

// kernelRelease is the version and build of Windows.
func kernelRelease() string {
	v := windows.RtlGetVersion()
	return release(v.MajorVersion, v.MinorVersion, v.BuildNumber)
}
