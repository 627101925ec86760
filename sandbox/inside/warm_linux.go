package inside

import (
	"runtime"
	"sync"
)

// How many idle threads a process of ours keeps: more than its runtime ever has
// work for at once, with two processors.
const (
	runnerThreads  = 8 // two of them are always in the kernel
	spawnerThreads = 4
)

// startThreads lets the runtime make its threads before there is a command. A runtime that
// can't make one gives up the process, and where the kernel counts processes ours
// are among them: a fork bomb would end them, and the reason would be lost.
func startThreads(threads int) {
	runtime.GOMAXPROCS(2)
	var all, over sync.WaitGroup
	all.Add(threads)
	for range threads {
		over.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread() // the thread stays, idle
			all.Done()
			all.Wait()
		})
	}
	over.Wait()
}
