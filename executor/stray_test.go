//go:build linux

package executor

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// What a command has written to its home counts from before it ran: on a busy machine it may
// be over before we get to note that it has begun.
func TestAFileOfAHomeIsNamedHoweverLateWeAre(t *testing.T) {
	r := newRig(t, nil)
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() { // busy
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			default:
				r.e.mu.Lock()
				time.Sleep(60 * time.Millisecond)
				r.e.mu.Unlock()
			}
		}
	}()
	defer func() { close(stop); <-stopped }()
	if err := os.WriteFile(filepath.Join(r.ws, "write.sh"), []byte("echo x >~/gone.txt\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 4 {
		if res, _ := r.must(sh("sh write.sh")); !slices.Equal(res.Lost, []string{"gone.txt"}) {
			t.Fatalf("named are %q", res.Lost)
		}
	}
}
