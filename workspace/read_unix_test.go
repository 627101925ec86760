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
	waits := time.AfterFunc(time.Minute, func() { panic("the FIFO is waited for") }) // for ever
	defer waits.Stop()
	got := s.Files("p", 5)
	if len(got) != 1 || got[0].Err == nil || !strings.Contains(got[0].Err.Error(), "not a regular file") {
		t.Errorf("%+v", got)
	}
	// The FIFO that takes a file's place after the look is not waited for either.
	if file, err := s.folders[0].root.openFile("p"); err == nil {
		_ = file.Close()
	}
}
