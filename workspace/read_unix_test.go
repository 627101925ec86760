//go:build unix

package workspace

import (
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestFilesDoesNotWaitForAFIFO(t *testing.T) {
	base := tree(t, "ws")
	if err := syscall.Mkfifo(base+"/ws/p", 0o600); err != nil {
		t.Fatal(err)
	}
	s := open(t, base+"/ws")
	started := time.Now()
	got := s.Files("p", 5)
	if len(got) != 1 || got[0].Err == nil || !strings.Contains(got[0].Err.Error(), "not a regular file") || time.Since(started) > time.Second {
		t.Errorf("%+v", got)
	}
	// The FIFO that takes a file's place after the look is not waited for either.
	file, err := s.folders[0].root.openFile("p")
	if err == nil {
		_ = file.Close()
	}
	if time.Since(started) > time.Second {
		t.Error("opening waited")
	}
}
