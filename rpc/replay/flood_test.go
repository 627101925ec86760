package replay

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pillion-sidecar/pillion/test/long"
)

const (
	floods   = 32
	maxGrown = 20 << 20
	// The client reads nothing until the end: what waits for it waits for ever.
	patience = time.Minute
)

// TestFloodWithStalledReader is scenario 22: commands that write as fast as they
// can while the client reads nothing. The sidecar must neither grow nor stop
// hearing a cancel.
func TestFloodWithStalledReader(t *testing.T) {
	long.Test(t)
	// The race detector's own memory would be measured too.
	r, ctx := connect(t, Spawn(sidecar(t, plainBuild)), map[string]any{"maxConcurrent": floods, "spoolMaxBytes": 4 << 20, "streamMaxBytes": 1 << 20})
	ids := []string{flood(t, r.client, 0)}
	first := startedPID(t, ctx, r.client)
	r.client.Pause()
	for i := 1; i < floods; i++ {
		ids = append(ids, flood(t, r.client, i))
	}
	if err := gone(ctx, patience, func() bool { return shells(r.d.Root) == floods }); err != nil {
		t.Fatalf("%d of %d floods run", shells(r.d.Root), floods)
	}
	time.Sleep(2 * time.Second) // long enough for any buffer to fill
	if grown := peakMemory(t, r.client.peer.PID); grown > maxGrown {
		t.Errorf("the sidecar has grown to %d KiB", grown>>10)
	} else {
		t.Logf("at most %d KiB of memory", grown>>10)
	}
	sent := time.Now()
	cancelFlood(t, r.client, 0)
	if err := gone(ctx, patience, func() bool { return !alive(first) }); err != nil {
		t.Error("a cancel did not get through to a command while stdout was blocked")
	}
	t.Logf("dead after %s", time.Since(sent))
	for i := 1; i < floods; i++ {
		cancelFlood(t, r.client, i)
	}
	if err := gone(ctx, patience, func() bool { return len(floodsOf(r.d.Root)) == 0 }); err != nil {
		t.Errorf("still running: %v", floodsOf(r.d.Root))
	}
	r.client.Resume()
	for i, id := range ids {
		m, err := r.client.Response(ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		checkFlood(t, i, m)
	}
	for _, v := range r.client.Violations() {
		t.Error(v)
	}
}

func flood(t *testing.T, c *Client, i int) (id string) {
	t.Helper()
	id, err := c.Go("exec", map[string]any{"command": "yes", "execId": floodID(i), "partialResultToken": floodID(i)})
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func floodID(i int) string { return fmt.Sprintf("flood-%d", i) }

func cancelFlood(t *testing.T, c *Client, i int) {
	t.Helper()
	if _, err := c.Go("exec/cancel", map[string]any{"execId": floodID(i)}); err != nil {
		t.Fatal(err)
	}
}

// checkFlood: what ran was cancelled, what still waited never started.
func checkFlood(t *testing.T, i int, m *Message) {
	t.Helper()
	if m.Error != nil && m.Error.Code == -32800 {
		return
	}
	var o outcome
	if err := m.Decode(&o); err != nil || o.Reason != "cancelled" {
		t.Errorf("flood %d: %v: %s", i, err, short(m.Raw))
	}
}

func startedPID(t *testing.T, ctx context.Context, c *Client) (pid int) {
	t.Helper()
	err := c.inbox.wait(ctx, 0, func(*Message) (bool, error) {
		if pids := c.watch.started(); len(pids) > 0 {
			pid = pids[0]
		}
		return pid != 0, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

func gone(ctx context.Context, within time.Duration, ok func() bool) error {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	return poll(ctx, ok)
}

// shells counts the floods that run: each has one shell, with canonical text.
func shells(root string) (n int) {
	for _, p := range floodsOf(root) {
		if strings.HasSuffix(p, " -c 'yes'") {
			n++
		}
	}
	return n
}

func floodsOf(root string) []string {
	var out []string
	for _, p := range mentioning(root) {
		if strings.HasSuffix(p, " yes") || strings.HasSuffix(p, " 'yes'") {
			out = append(out, p)
		}
	}
	return out
}

// peakMemory is the most memory a process has had in bytes, without the pages of its
// program: those are the file's, shared by all sidecars, and nothing fed to one adds any.
func peakMemory(t *testing.T, pid int) int {
	t.Helper()
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		t.Skipf("no /proc: %v", err)
	}
	field := func(name string) int {
		_, rest, _ := strings.Cut(string(data), name)
		kib, err := strconv.Atoi(strings.Fields(rest)[0])
		if err != nil {
			t.Fatal(err)
		}
		return kib << 10
	}
	return field("VmHWM:") - field("RssFile:")
}
