package sandbox

import (
	"os"
	"sync"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Console is what Windows has for a pseudo-terminal (ConPTY): not a file, but a
// program of the system's between two pipes and the command.
type Console struct {
	mu     sync.Mutex
	handle windows.Handle
	closed bool
}

// OpenConsole makes one that reads what is typed from keys and writes what is shown
// to screen. It has handles of its own for both.
func OpenConsole(keys, screen *os.File, rows, cols int) (*Console, error) {
	c := new(Console)
	err := windows.CreatePseudoConsole(size(rows, cols), windows.Handle(keys.Fd()), windows.Handle(screen.Fd()), 0, &c.handle)
	if err != nil {
		return nil, os.NewSyscallError("CreatePseudoConsole", err)
	}
	return c, nil
}

// Resize sets the size that programs see, in characters. Errors: os.ErrClosed.
func (c *Console) Resize(rows, cols int) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return os.ErrClosed
	}
	return os.NewSyscallError("ResizePseudoConsole", windows.ResizePseudoConsole(c.handle, size(rows, cols)))
}

// Close ends the console with everything that still uses it, and returns when its
// output was read. It may be called at any time, and more than once.
func (c *Console) Close() {
	c.mu.Lock()
	was := c.closed
	c.closed = true
	c.mu.Unlock()
	if !was {
		windows.ClosePseudoConsole(c.handle) // not under the lock: it waits for a reader
	}
}

// attach makes it the console of the process that is about to be created. The value
// of this attribute is the handle itself, not where it lies.
func (c *Console) attach(list *windows.ProcThreadAttributeListContainer) error {
	return list.Update(windows.PROC_THREAD_ATTRIBUTE_PSEUDOCONSOLE, *(*unsafe.Pointer)(unsafe.Pointer(&c.handle)), unsafe.Sizeof(c.handle))
}

func size(rows, cols int) windows.Coord { return windows.Coord{X: int16(cols), Y: int16(rows)} }

// HasConsoles says whether this version of Windows has them: the calls are not there
// before 1809.
func HasConsoles() bool {
	for _, name := range []string{"CreatePseudoConsole", "ResizePseudoConsole", "ClosePseudoConsole"} {
		if kernel32.NewProc(name).Find() != nil {
			return false
		}
	}
	return true
}
