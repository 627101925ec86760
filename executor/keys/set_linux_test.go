package keys

import (
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestWhatAKilledSidecarLeftIsRemoved(t *testing.T) {
	base, err := os.MkdirTemp("", "k-") // short: it is in a socket's address
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(base) })
	t.Setenv("TMPDIR", base)
	dead := filepath.Join(os.TempDir(), dirPrefix+"1")
	if err := os.Mkdir(dead, 0o700); err != nil {
		t.Fatal(err)
	}
	in, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(dead, "agent.1")})
	if err != nil {
		t.Fatal(err)
	}
	in.SetUnlinkOnClose(false)
	_ = in.Close()
	long := time.Now().Add(-2 * newFor)
	if err := os.Chtimes(dead, long, long); err != nil {
		t.Fatal(err)
	}
	var living, next Set
	for _, s := range []*Set{&living, &next} {
		defer s.Close()
		if _, err := s.Socket("x", func(string) Config { return Config{Told: func(Use) bool { return true }} }); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(dead); err == nil {
		t.Error("it is still there")
	}
	if _, err := os.Stat(filepath.Join(living.dir, "agent.1")); err != nil {
		t.Error(err)
	}
}
