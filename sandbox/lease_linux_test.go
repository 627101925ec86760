package sandbox

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// A lease on a file makes its openers for writing wait, 45 seconds at a time: an editor
// that saves, or a program that changes a file of the same owner elsewhere.
func TestNobodyOutsideWaitsForALease(t *testing.T) {
	onRungs(t, Limits{}, func(b *bench) {
		file := filepath.Join(b.ws, "leased")
		if err := os.WriteFile(file, []byte("x"), 0o644); err != nil {
			b.t.Fatal(err)
		}
		p, r := b.start("perl", "-e", `open my $f, "<", "leased" or die; $SIG{IO} = "IGNORE"; my $got = fcntl($f, 1024, 0); open my $t, ">", "tried"; close $t; print $got ? "leased" : "refused"; sleep 60`)
		defer r.Close()
		waitForFile(b.t, filepath.Join(b.ws, "tried"))
		fd, err := unix.Open(file, unix.O_WRONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
		if err != nil {
			b.t.Errorf("a file of the workspace can't be opened for writing: %v", err)
		} else {
			_ = unix.Close(fd)
		}
		_ = p.Kill()
		_, _ = p.Wait()
		_, _ = p.End(false)
		_ = os.Remove(filepath.Join(b.ws, "tried"))
	})
}
