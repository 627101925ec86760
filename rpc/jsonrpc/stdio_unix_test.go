//go:build unix

package jsonrpc

import (
	"fmt"
	"io"
	"os"
	"testing"

	"github.com/sourcegraph/conc"
	"golang.org/x/sys/unix"
)

// save puts a descriptor back at the end of the test.
func save(t *testing.T, fd int) {
	t.Helper()
	old, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := dup2(old, fd); err != nil {
			t.Error(err)
		}
		_ = unix.Close(old)
	})
}

// A stray print goes to stderr and never into the frames.
func TestPrivateStdio(t *testing.T) {
	for fd := range 3 {
		save(t, fd)
	}
	inR, inW := openPipe(t)
	outR, outW := openPipe(t)
	errR, errW := openPipe(t)
	for fd, f := range []*os.File{inR, outW, errW} {
		if err := dup2(int(f.Fd()), fd); err != nil {
			t.Fatal(err)
		}
		_ = f.Close()
	}
	in, out, err := PrivateStdio()
	if err != nil {
		t.Fatal(err)
	}
	fmt.Print("stray")
	_, _ = io.WriteString(out, "frame")
	_, _ = io.WriteString(inW, "request")
	if got := some(t, errR); got != "stray" {
		t.Errorf("stderr got %q", got)
	}
	if got := some(t, outR); got != "frame" {
		t.Errorf("stdout got %q", got)
	}
	if n, err := os.Stdin.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		t.Errorf("descriptor 0 still reads: %d, %v", n, err)
	}
	if got := some(t, in); got != "request" {
		t.Errorf("in got %q", got)
	}
	for _, f := range []*os.File{in, out} {
		flags, err := unix.FcntlInt(f.Fd(), unix.F_GETFD, 0)
		if err != nil || flags&unix.FD_CLOEXEC == 0 {
			t.Errorf("%s is inherited", f.Name())
		}
		_ = f.Close()
	}
	for _, f := range []*os.File{inW, outR, errR} {
		_ = f.Close()
	}
}

func some(t *testing.T, f *os.File) string {
	t.Helper()
	buf := make([]byte, 100)
	n, err := f.Read(buf)
	if err != nil {
		t.Fatal(err)
	}
	return string(buf[:n])
}

// Close must end a read that waits for the editor, or the server can't leave.
func TestPrivateStdinCanBeClosedWhileRead(t *testing.T) {
	save(t, 0)
	save(t, 1)
	r, w := openPipe(t)
	defer w.Close()
	if err := dup2(int(r.Fd()), 0); err != nil {
		t.Fatal(err)
	}
	_ = r.Close()
	in, out, err := PrivateStdio()
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	done := make(chan error, 1)
	var scope conc.WaitGroup
	defer scope.Wait()
	scope.Go(func() { _, err := in.Read(make([]byte, 1)); done <- err })
	_ = in.Close()
	if err := <-done; err == nil {
		t.Error("read something")
	}
}

func openPipe(t *testing.T) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	return r, w
}
