package sandbox

import (
	"runtime"
	"sync"
)

// warmThreads is how many idle threads a runner keeps: more than its runtime ever
// has work for at once, with two processors.
const warmThreads = 6

// warm lets the runtime make its threads before there is a command. A runtime that
// can't make one gives up the process, and where the kernel counts processes the
// runner is among them: a fork bomb would end it, and the reason would be lost.
func warm() {
	runtime.GOMAXPROCS(2)
	var all, over sync.WaitGroup
	all.Add(warmThreads)
	for range warmThreads {
		over.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread() // the thread stays, idle
			all.Done()
			all.Wait()
		})
	}
	over.Wait()
}
