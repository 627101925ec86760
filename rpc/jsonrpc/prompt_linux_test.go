//go:build !race

package jsonrpc

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sourcegraph/conc"
	"golang.org/x/sys/unix"
)

func TestPromptReaderReadsToTheEnd(t *testing.T) {
	long := strings.Repeat("0123456789abcdef", 64<<10)
	path := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(path, []byte(long), 0o600))
	file, err := os.Open(path)
	must(t, err)
	defer file.Close()
	r, w := openPipe(t)
	defer r.Close()
	var writer conc.WaitGroup
	writer.Go(func() { _, _ = io.WriteString(w, long); _ = w.Close() })
	for name, in := range map[string]io.Reader{"pipe": r, "file": file, "no descriptor": strings.NewReader(long)} {
		if b, err := io.ReadAll(Promptly(in)); err != nil || string(b) != long {
			t.Errorf("%s: %d bytes, %v", name, len(b), err)
		}
	}
	writer.Wait()
}

// Closing the descriptor ends a read that waits, as of a plain file.
func TestPromptReaderEndsByClose(t *testing.T) {
	r, w := openPipe(t)
	defer w.Close()
	late := time.AfterFunc(100*time.Millisecond, func() { _ = r.Close() })
	defer late.Stop()
	if n, err := Promptly(r).Read(make([]byte, 8)); n != 0 || !errors.Is(err, os.ErrClosed) {
		t.Errorf("%d bytes, %v", n, err)
	}
}

// The flags of a pipe belong to all who have it: a shell that was left between the
// editor and us may make it wait again. If our system call waited then, so would the
// garbage collector, and every command with it.
func TestPromptCallsWaitForNobody(t *testing.T) {
	r, w := openPipe(t)
	defer w.Close()
	in := Promptly(r)
	blocking := func(f *os.File) uintptr {
		var number uintptr
		raw, err := f.SyscallConn()
		must(t, err)
		must(t, raw.Control(func(fd uintptr) {
			number = fd
			err = unix.SetNonblock(int(fd), false)
		}))
		must(t, err)
		return number
	}
	fd := blocking(r)
	if n, fail := readNow(fd, make([]byte, 8)); n != 0 || fail != unix.EAGAIN {
		t.Fatalf("%d bytes, %v", n, fail)
	}
	full := blocking(w)
	block := make([]byte, 64<<10)
	for writeNow(full, block) > 0 {
	}
	drained, err := io.CopyN(io.Discard, in, 64<<10)
	must(t, err)
	var reader conc.WaitGroup
	var got int
	reader.Go(func() { got, err = in.Read(make([]byte, 8)) })
	for range 3 {
		runtime.GC()
	}
	_, fail := syscall.Write(int(full), []byte("x"))
	must(t, fail)
	if reader.Wait(); got != 1 || err != nil {
		t.Errorf("%d bytes behind %d, %v", got, drained, err)
	}
}
