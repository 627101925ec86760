package replay

import (
	"context"
	"flag"
	"fmt"
	"testing"
	"time"

	"github.com/sourcegraph/conc/pool"
)

var rounds = flag.Int("rounds", 200, "how often a cancel, a timeout and an exit race")

// outcome is the part of an exec's result that says why it ended.
type outcome struct {
	Reason    string  `json:"reason"`
	ExitCode  *int    `json:"exitCode"`
	Signal    *string `json:"signal"`
	Cancelled bool    `json:"cancelled"`
	TimedOut  bool    `json:"timedOut"`
}

// connect starts a sidecar with an open session on d. The client is closed, and
// the sidecar's end checked, when the test is done.
func connect(t *testing.T, start Start, limits map[string]any) (*run, context.Context) {
	t.Helper()
	s := &Scenario{File: t.Name(), Timeout: 5 * time.Minute, Init: "{}", Capabilities: "{}"}
	r := &run{s: s, o: Options{Start: start, Root: t.TempDir()}, vars: vars{}, begun: time.Now(), sent: map[string]sending{}}
	ctx, cancel := context.WithTimeout(context.Background(), s.Timeout)
	t.Cleanup(cancel)
	s.Init = asText(map[string]any{"limits": limits})
	if err := r.prepare(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.cleanup)
	if err := r.open(ctx); err != nil {
		t.Fatal(r.describe(0, "initialize", err))
	}
	t.Cleanup(func() {
		if err := r.finish(ctx); err != nil {
			t.Error(r.describe(0, "an orderly end", err))
		}
	})
	return r, ctx
}

// TestCancelTimeoutAndExitRace is scenario 18: a command ends, times out and is
// cancelled in the same few milliseconds. Whichever comes first is the one cause,
// and there is one response; the client counts them.
func TestCancelTimeoutAndExitRace(t *testing.T) {
	const atOnce, span = 10, 40 // span in ms
	r, ctx := connect(t, InProcess, map[string]any{"retainedExecs": 0})
	causes := make(chan string, *rounds)
	p := pool.New().WithMaxGoroutines(atOnce).WithErrors()
	for i := range *rounds {
		p.Go(func() error {
			cause, err := raceOnce(ctx, r.client, fmt.Sprintf("race-%d", i), span, time.Duration(span-5+i%15)*time.Millisecond)
			causes <- cause
			return err
		})
	}
	if err := p.Wait(); err != nil {
		t.Error(err)
	}
	close(causes)
	seen := map[string]int{}
	for c := range causes {
		seen[c]++
	}
	t.Logf("causes: %v", seen)
	for _, v := range r.client.Violations() {
		t.Error(v)
	}
}

func raceOnce(ctx context.Context, c *Client, id string, ms int, cancelAfter time.Duration) (cause string, err error) {
	req, err := c.Go("exec", map[string]any{
		"execId": id, "command": fmt.Sprintf("sleep 0.%03d", ms), "timeoutMs": ms, "partialResultToken": id,
	})
	if err != nil {
		return "", err
	}
	time.Sleep(cancelAfter)
	if _, err := c.Call(ctx, "exec/cancel", map[string]any{"execId": id}); err != nil {
		return "", err
	}
	m, err := c.Response(ctx, req)
	if err != nil {
		return "", err
	}
	if m.Error != nil && m.Error.Code == -32800 {
		return "cancelled before the start", nil
	}
	var o outcome
	if err := m.Decode(&o); err != nil {
		return "", err
	}
	return o.Reason, o.consistent()
}

// consistent: the flags say what the reason says, and only a command that was
// left alone must have ended by itself.
func (o outcome) consistent() error {
	known := o.Reason == "exited" || o.Reason == "cancelled" || o.Reason == "timedOut"
	byItself := o.ExitCode != nil && *o.ExitCode == 0 && o.Signal == nil
	switch {
	case !known, o.Cancelled != (o.Reason == "cancelled"), o.TimedOut != (o.Reason == "timedOut"),
		o.Reason == "exited" && !byItself, (o.ExitCode == nil) == (o.Signal == nil):
		return fmt.Errorf("contradiction: %s", asText(o))
	}
	return nil
}
