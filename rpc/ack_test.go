package rpc

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/pillion-sidecar/pillion/rpc/protocol"
	"github.com/pillion-sidecar/pillion/test/long"
)

// acking is a connection of a client that acknowledges.
func acking(t *testing.T, change ...func(*Options)) *client {
	t.Helper()
	c := start(t, change...)
	c.request(1, "initialize", fmt.Sprintf(`{"processId":null,"workspaceFolders":[{"uri":%q}],"capabilities":{"exec":{"ack":true}}}`, "file://"+c.ws))
	var r protocol.InitializeResult
	c.result(1, &r)
	if !r.Capabilities.ExecProvider.Ack || r.Capabilities.Limits.AckWaitMs == 0 {
		t.Errorf("%+v", r.Capabilities)
	}
	c.notify("initialized", "{}")
	c.forget()
	return c
}

// outputs are the output events among messages.
func outputs(t *testing.T, all []message, token string) (events []protocol.OutputEvent) {
	t.Helper()
	for _, m := range all {
		var p struct {
			Token protocol.ProgressToken `json:"token"`
			Value protocol.OutputEvent   `json:"value"`
		}
		if m.Method != "$/progress" || !strings.Contains(string(m.Params), `"type":"output"`) {
			continue
		}
		if err := json.Unmarshal(m.Params, &p); err != nil {
			t.Fatal(err)
		}
		if string(p.Token.JSON()) == token {
			events = append(events, p.Value)
		}
	}
	return events
}

// come waits until n bytes of a token have come and returns them.
func (c *client) come(token string, n int) []byte {
	c.t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		var all []byte
		for _, e := range outputs(c.t, c.all(), token) {
			all = append(all, protocol.ReadResult{Text: e.Text, Data: e.Data}.Bytes()...)
		}
		if len(all) >= n {
			return all
		}
		if time.Now().After(deadline) {
			c.t.Fatalf("%d of %d bytes", len(all), n)
		}
	}
}

func (c *client) ack(id string, n int) {
	c.t.Helper()
	c.notify("exec/ack", fmt.Sprintf(`{"execId":%q,"consumed":%d}`, id, n))
}

// The window opens by the bytes that are acknowledged and no further, whatever is
// lost, and everything arrives. In base64 no part of a character waits for its rest.
func TestAcksOpenTheWindowByteByByte(t *testing.T) {
	const window, total = 10_000, 60_000
	c := acking(t)
	c.request(2, "exec", fmt.Sprintf(`{"execId":"a","command":"head -c %d /dev/urandom | tee random","partialResultToken":1,"output":{"window":%d,"encoding":"base64"}}`, total, window))
	acked := 0
	for i, step := range []int{1, 2, 700, 9_999, 10_000, 3, 10_000, 10_000, 10_000} {
		c.come("1", acked+window)
		if acked += step; i%3 != 1 { // every third one is lost
			c.ack("a", acked)
		} else {
			acked -= step
		}
		time.Sleep(20 * time.Millisecond)
		if got := len(c.come("1", 0)); got > acked+window {
			t.Fatalf("%d bytes with %d acknowledged", got, acked)
		}
	}
	for n := 0; n < total; n = len(c.come("1", min(total, n+1))) {
		c.ack("a", n)
	}
	var r protocol.ExecResult
	c.result(2, &r)
	if got := c.come("1", total); r.Output["stdout"].StreamedBytes != total || sha256.Sum256(got) != sha256.Sum256(read(t, c.ws+"/random")) {
		t.Errorf("%d bytes, %+v", len(got), r.Output["stdout"])
	}
}

// Whatever waits, an ack is taken at once: it doesn't queue.
func TestAckIsServedWhileEverythingWaits(t *testing.T) {
	c := acking(t, func(o *Options) { o.Config.Limits.MaxConcurrent = 1 })
	c.request(2, "exec", `{"execId":"a","command":"seq 1 1000; sleep 1000","partialResultToken":1,"output":{"window":100}}`)
	c.come("1", 100)
	for i := range maxReads {
		c.request(100+i, "exec/read", `{"execId":"a","stream":"stdout","offset":100000,"waitMs":60000}`)
	}
	for i := range 20 {
		c.request(300+i, "exec", `{"command":"true"}`)
	}
	for n := 100; n < 3893; n = len(c.come("1", min(3893, n+1))) {
		c.ack("a", n)
	}
	c.request(3, "exec/cancelAll", "{}")
	var r protocol.ExecResult
	c.result(2, &r)
	if r.Output["stdout"].StreamedBytes != 3893 || r.Output["stdout"].Truncated {
		t.Errorf("%+v", r.Output)
	}
}

func TestAckIsStrictAndFailsNothing(t *testing.T) {
	c := acking(t)
	c.request(2, "exec", `{"execId":"a","command":"seq 1 1000","partialResultToken":1,"output":{"window":1000}}`)
	c.come("1", 1000)
	for _, params := range []string{`{"execId":"a","consumed":"1000"}`, `{"execId":"a","Consumed":1000}`, `{"consumed":1000}`, `{"execId":"a","consumed":null}`, `[]`, `{"execId":"a","consumed":1e30}`} {
		c.notify("exec/ack", params)
	}
	c.request(3, "exec/ack", `{"execId":"a","consumed":1000}`)
	c.fails(3, -32600, "invalidRequest")
	if got := len(c.come("1", 0)); got != 1000 {
		t.Errorf("%d bytes", got)
	}
	for n := 1000; n < 3893; n = len(c.come("1", min(3893, n+1))) {
		c.ack("a", n)
	}
	c.result(2, new(protocol.ExecResult))
}

// The editor dies while output waits for its acks: the session ends as fast as any
// other, and leaves no process.
func TestDeadClientOwesNoAcks(t *testing.T) {
	for name, die := range map[string]func(*client){
		"its output": func(c *client) { _ = c.in.Close() },
		"its input":  (*client).deafen,
	} {
		c := acking(t)
		c.request(2, "exec", `{"execId":"a","command":"yes dies-here","partialResultToken":1}`)
		c.request(3, "exec", `{"execId":"b","command":"seq 1 100000","partialResultToken":2}`)
		c.come("1", defaultWindow)
		c.come("2", defaultWindow)
		began := time.Now()
		die(c)
		if code := c.exited(); code != 1 || time.Since(began) > atOnce {
			t.Errorf("%s: exit %d after %s", name, code, time.Since(began))
		}
	}
}

// Floods of a client that reads and never acknowledges stay on disk.
func TestFloodsWithoutAcksStayOnDisk(t *testing.T) {
	long.Test(t)
	c := acking(t, func(o *Options) { o.Config.Limits.SpoolMaxBytes, o.Config.Limits.SpoolTailBytes = 4<<20, 1<<20 })
	const floods, window = 8, 5000
	for i := range floods {
		c.request(10+i, "exec", fmt.Sprintf(`{"execId":"f%d","command":"yes","partialResultToken":%d,"output":{"window":%d}}`, i, i, window))
	}
	for i := range floods {
		c.come(fmt.Sprint(i), window)
		c.fetch(30+i, fmt.Sprintf(`{"execId":"f%d","stream":"stdout","offset":20000000,"maxBytes":1,"waitMs":20000}`, i))
	}
	var mem runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&mem)
	if mem.HeapInuse > 64<<20 {
		t.Errorf("%d MiB on the heap", mem.HeapInuse>>20)
	}
	for i := range floods {
		c.request(50+i, "exec/cancel", fmt.Sprintf(`{"execId":"f%d"}`, i))
	}
	for i := range floods {
		var r protocol.ExecResult
		c.result(10+i, &r)
		if o := r.Output["stdout"]; r.Reason != "cancelled" || o.StreamedBytes != window || len(o.Gaps) != 1 || o.Gaps[0].From != window || o.Gaps[0].To != o.TotalBytes {
			t.Errorf("%s: %+v", r.Reason, o)
		}
	}
}

// A client that reads a kilobyte now and then gets all of it, and keeps neither the
// command nor memory.
func TestSlowReaderGetsEverything(t *testing.T) {
	c := ready(t)
	c.gate.Lock()
	c.request(2, "exec", `{"execId":"a","command":"head -c 262144 /dev/urandom | tee random; touch through","partialResultToken":1,"output":{"maxChunkBytes":1024}}`)
	for end := time.Now().Add(patience); !c.ran("through"); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the command waits for the client")
		}
	}
	c.pace(time.Millisecond)
	c.gate.Unlock()
	var r protocol.ExecResult
	c.result(2, &r)
	if got := c.come("1", 262144); !bytes.Equal(got, read(t, c.ws+"/random")) || r.Output["stdout"].Truncated {
		t.Errorf("%d bytes, %+v", len(got), r.Output["stdout"])
	}
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
