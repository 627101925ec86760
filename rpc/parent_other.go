//go:build !linux && !darwin && !windows

package rpc

import "time"

// parentPoll is how often a process is looked for.
const parentPoll = 3 * time.Second

// openParent looks for the process every few seconds.
func openParent(pid int) (wait func() bool, stop func(), err error) {
	if err := processAlive(pid); err != nil {
		return nil, nil, err
	}
	done := make(chan struct{})
	wait = func() bool { return poll(func() bool { return processAlive(pid) == nil }, done) }
	return wait, func() { close(done) }, nil
}

func poll(alive func() bool, done <-chan struct{}) bool {
	tick := time.NewTicker(parentPoll)
	defer tick.Stop()
	for alive() {
		select {
		case <-tick.C:
		case <-done:
			return false
		}
	}
	return true
}
