package parent

import (
	"os"
	"sync"

	"golang.org/x/sys/windows"
)

// Open holds the process by a handle, so that a later process with the same
// number is not taken for it.
func Open(pid int) (wait func() bool, stop func(), err error) {
	process, err := windows.OpenProcess(windows.SYNCHRONIZE, false, uint32(pid))
	if err != nil {
		return nil, nil, os.NewSyscallError("OpenProcess", err)
	}
	over, err := windows.CreateEvent(nil, 1, 0, nil)
	if err != nil {
		_ = windows.CloseHandle(process)
		return nil, nil, os.NewSyscallError("CreateEvent", err)
	}
	var mu sync.Mutex
	closed := false
	wait = func() bool {
		first, err := windows.WaitForMultipleObjects([]windows.Handle{process, over}, false, windows.INFINITE)
		mu.Lock()
		defer mu.Unlock()
		closed = true
		_, _ = windows.CloseHandle(process), windows.CloseHandle(over)
		return err == nil && first == windows.WAIT_OBJECT_0
	}
	stop = func() {
		mu.Lock()
		defer mu.Unlock()
		if !closed { // else the number may be another handle's by now
			_ = windows.SetEvent(over)
		}
	}
	return wait, stop, nil
}
