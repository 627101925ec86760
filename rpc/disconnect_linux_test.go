package rpc

import (
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"
	"time"
)

// lateCloser is an input whose end takes longer than Serve waits for it, as on a
// machine that is busy.
type lateCloser struct{ io.ReadCloser }

func (l lateCloser) Close() error {
	time.Sleep(flushTime + flushTime/2)
	return l.ReadCloser.Close()
}

// Serve doesn't wait for what is late, but the folders are closed all the same.
func TestFoldersAreLetGoWhereTheEndIsLate(t *testing.T) {
	c := ready(t, func(o *Options) { o.In = lateCloser{o.In.(io.ReadCloser)} })
	if !openHere(c.ws) {
		t.Fatal("the folder is not held open")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // which would close what is forgotten
	c.notify("exit", "null")
	c.exited()
	for deadline := time.Now().Add(patience); openHere(c.ws); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the folder is still open")
		}
	}
}

// openHere reports whether this process has a descriptor of path.
func openHere(path string) bool {
	fds, _ := filepath.Glob("/proc/self/fd/*")
	for _, fd := range fds {
		if target, err := os.Readlink(fd); err == nil && target == path {
			return true
		}
	}
	return false
}
