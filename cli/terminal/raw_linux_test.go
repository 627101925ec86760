package terminal

import (
	"fmt"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A command with the terminal can ask it for its state. What the terminal answers after the
// command's end is not typed into the user's shell.
func TestAnAnswerToACommandIsNotTheNextInput(t *testing.T) {
	keyboard, screen := openTerminal(t)
	restore := Raw(screen)
	if _, err := keyboard.WriteString("\x1b[1;1R\r"); err != nil {
		t.Fatal(err)
	}
	for range 100 { // it may take a moment
		if n, _ := unix.IoctlGetInt(int(screen.Fd()), unix.TIOCINQ); n > 0 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	restore()
	fds := []unix.PollFd{{Fd: int32(screen.Fd()), Events: unix.POLLIN}}
	if n, err := unix.Poll(fds, 100); n != 0 || err != nil {
		t.Errorf("the next program reads the answer: %d, %v", n, err)
	}
}

func openTerminal(t *testing.T) (keyboard, screen *os.File) {
	t.Helper()
	keyboard, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = keyboard.Close() })
	n, err := unix.IoctlGetInt(int(keyboard.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(keyboard.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	screen, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = screen.Close() })
	return keyboard, screen
}
