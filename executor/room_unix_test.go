//go:build unix

package executor

import (
	"errors"
	"io"
	"os"
	"slices"
	"testing"
	"time"
)

// Room is taken for bytes that are there, and for no others: what a silent pipe holds
// another one lacks, which is not read any more then.
func TestRoomIsTakenForWhatIsThereOnly(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var asked []int
	came, over := make(chan int, 10), make(chan error, 1)
	go func() {
		over <- copyReady(r, func(want int) int { asked = append(asked, want); return min(want, 4) }, func(p []byte) { came <- len(p) })
	}()
	next := func(want int) {
		t.Helper()
		select {
		case n := <-came:
			if n != want {
				t.Errorf("%d bytes have come, want %d", n, want)
			}
		case <-time.After(time.Minute):
			t.Fatalf("nothing came of %d bytes", want)
		}
	}
	next(0) // it waits
	if _, err := w.WriteString("sixsix"); err != nil {
		t.Fatal(err)
	}
	next(4)
	next(2)
	next(0)
	if w.Close(); !errors.Is(<-over, io.EOF) || !slices.Equal(asked, []int{6, 2, 1}) {
		t.Errorf("room for %v was asked", asked)
	}
}
