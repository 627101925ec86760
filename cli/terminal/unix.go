//go:build unix

package terminal

import (
	"io"
	"os"
	"os/signal"

	"golang.org/x/sys/unix"
)

// Size is in characters; without ok f is not a terminal.
func Size(f *os.File) (rows, cols int, ok bool) {
	size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	if err != nil || size.Row == 0 || size.Col == 0 {
		return 24, 80, err == nil
	}
	return int(size.Row), int(size.Col), true
}

// Raw hands every key to the command's own terminal, until the function that
// it returns is called.
func Raw(f *os.File) func() {
	was, err := unix.IoctlGetTermios(int(f.Fd()), getTermios)
	if err != nil {
		return func() {}
	}
	raw := *was
	raw.Iflag &^= unix.IGNBRK | unix.BRKINT | unix.PARMRK | unix.ISTRIP | unix.INLCR | unix.IGNCR | unix.ICRNL | unix.IXON
	raw.Oflag &^= unix.OPOST
	raw.Lflag &^= unix.ECHO | unix.ECHONL | unix.ICANON | unix.ISIG | unix.IEXTEN
	raw.Cflag = raw.Cflag&^(unix.CSIZE|unix.PARENB) | unix.CS8
	raw.Cc[unix.VMIN], raw.Cc[unix.VTIME] = 1, 0
	_ = unix.IoctlSetTermios(int(f.Fd()), setTermios, &raw)
	return func() { _ = unix.IoctlSetTermios(int(f.Fd()), setAndFlush, was) }
}

// EachResize calls f for every change of the terminal's size until done.
func EachResize(done <-chan struct{}, f func()) {
	changes := make(chan os.Signal, 1)
	signal.Notify(changes, unix.SIGWINCH)
	defer signal.Stop(changes)
	for {
		select {
		case <-changes:
			f()
		case <-done:
			return
		}
	}
}

// pollMs is how soon a reader without input sees that the command has ended.
const pollMs = 20

// Drain reads what was typed ahead.
func Drain(f *os.File) {
	if t, err := unix.IoctlGetTermios(int(f.Fd()), getTermios); err == nil {
		_ = unix.IoctlSetTermios(int(f.Fd()), setAndFlush, t)
	}
}

// ReadUntil is Read that also ends when done does, with io.EOF.
func ReadUntil(f *os.File, buf []byte, done <-chan struct{}) (int, error) {
	for {
		select {
		case <-done:
			return 0, io.EOF
		default:
		}
		fds := []unix.PollFd{{Fd: int32(f.Fd()), Events: unix.POLLIN}}
		n, err := unix.Poll(fds, pollMs)
		if err != nil && err != unix.EINTR {
			return 0, err
		}
		if n > 0 {
			return f.Read(buf)
		}
	}
}

// Columns is how wide a terminal is; 0: it doesn't say. Without ok f is not one.
func Columns(f *os.File) (n int, ok bool) {
	size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return 0, false
	}
	return int(size.Col), true
}

// Foreground reports whether the terminal is this process's to write on: a job in
// the background shares it with whatever is in front.
func Foreground(f *os.File) bool {
	group, err := unix.IoctlGetInt(int(f.Fd()), unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}
