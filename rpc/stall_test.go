package rpc

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/pillion-sidecar/pillion/rpc/protocol"
	"github.com/pillion-sidecar/pillion/test/long"
)

// With a client that has stopped reading, floods stay on disk, control still
// works, and nothing is lost when it reads again.
func TestStalledClient(t *testing.T) {
	c := ready(t)
	const floods = 8
	mark := fmt.Sprintf("flood-%d", os.Getpid())
	for i := range floods {
		c.request(10+i, "exec", fmt.Sprintf(`{"execId":"f%d","command":"yes %s","partialResultToken":%d,"output":{"streamMaxBytes":400000}}`, i, mark, i))
	}
	for i := range floods {
		c.wait("output", func(m message) bool {
			return strings.HasPrefix(string(m.Params), fmt.Sprintf(`{"token":%d,"value":{"type":"output"`, i))
		})
	}
	c.gate.Lock()
	time.Sleep(500 * time.Millisecond)
	var mem runtime.MemStats
	runtime.ReadMemStats(&mem)
	if mem.HeapInuse > 64<<20 {
		t.Errorf("%d MiB on the heap", mem.HeapInuse>>20)
	}
	for i := range floods {
		c.request(30+i, "exec/cancel", fmt.Sprintf(`{"execId":"f%d","force":true}`, i))
	}
	c.request(50, "exec/list", "{}")
	for end := time.Now().Add(patience); listed(t, mark); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the cancels wait for the client")
		}
	}
	c.gate.Unlock()
	for i := range floods {
		var r protocol.ExecResult
		c.result(10+i, &r)
		if r.Reason != "cancelled" {
			t.Errorf("%+v", r)
		}
	}
	for i := range floods {
		checkLane(t, c, i)
	}
}

// checkLane: offsets are contiguous and nothing follows the answer.
func checkLane(t *testing.T, c *client, i int) {
	t.Helper()
	all := c.all()
	token := fmt.Sprintf(`{"token":%d,`, i)
	answered := false
	for _, m := range all {
		if strings.HasPrefix(string(m.Params), token) && answered {
			t.Errorf("%.80s after the answer", m.Params)
		}
		answered = answered || string(m.ID) == fmt.Sprint(10+i)
	}
	collect(t, all, fmt.Sprint(i))
}

func TestStatusTellsOfAStalledClient(t *testing.T) {
	long.Test(t)
	c := ready(t, func(o *Options) { o.Config.Limits.StreamMaxBytes = 1 << 40 })
	c.request(2, "exec", `{"execId":"f","command":"yes flood","partialResultToken":"t"}`)
	// It takes a while until the flood has filled the pipe, and who asks is heard: as
	// much time as the machine needs.
	var s protocol.StatusResult
	for id, wait := 100, 100*time.Millisecond; s.Writer.StalledMs == 0 || s.Writer.Queued == 0; id, wait = id+1, 2*wait {
		if wait > patience {
			t.Fatalf("%+v", s.Writer)
		}
		c.gate.Lock()
		time.Sleep(wait)
		c.request(id, "server/status", "{}")
		time.Sleep(wait)
		c.gate.Unlock()
		c.result(id, &s)
	}
	c.request(4, "exec/cancel", `{"execId":"f"}`)
	c.answer(2)
}

// The editor hangs and is then killed: a writer blocked on its pipe must not
// keep the server.
func TestEndWhileStalled(t *testing.T) {
	c := ready(t)
	c.gate.Lock()
	c.request(2, "exec", `{"execId":"f","command":"yes flood","partialResultToken":"t"}`)
	time.Sleep(200 * time.Millisecond)
	_ = c.in.Close()
	began := time.Now()
	code := c.exited()
	c.gate.Unlock()
	if code != 1 || time.Since(began) > atOnce {
		t.Errorf("exit %d after %s", code, time.Since(began))
	}
}
