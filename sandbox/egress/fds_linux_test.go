package egress

import (
	"io"
	"net"
	"os"
	"runtime"
	"testing"

	"github.com/sourcegraph/conc"
)

// openFiles are the descriptors of this process.
func openFiles(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

func TestNoDescriptorIsLeft(t *testing.T) {
	before := openFiles(t)
	t.Run("busy", func(t *testing.T) {
		w, conn := open(t, func(c net.Conn) { io.Copy(c, c) })
		for range 50 {
			w.tunnel("ok.org:443")
			w.tunnel("evil.org:443")
			w.say("GET http://ok.org:443/ HTTP/1.1\r\nHost: ok.org:443\r\n\r\nnonsense")
		}
		piece := make([]byte, 1<<20)
		var reader conc.WaitGroup
		reader.Go(func() { io.CopyN(io.Discard, conn, 1<<20) })
		conn.Write(piece)
		reader.Wait()
	})
	runtime.GC() // Go's own pool of pipes for splice
	soon(t, "as many descriptors as before", func() bool { runtime.GC(); return openFiles(t) <= before })
}
