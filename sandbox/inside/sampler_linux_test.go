package inside

import (
	"testing"
	"time"

	"github.com/pillion-sidecar/pillion/sandbox/limits"
	"github.com/pillion-sidecar/pillion/sandbox/policy"
)

// A look that waits for a processor is not an expensive one: with a pause to match, the
// tree that keeps the machine busy would be the one that is seen late.
func TestWaitingDoesNotMakeALookExpensive(t *testing.T) {
	waits := func() bool { time.Sleep(100 * time.Millisecond); return false }
	r := &runner{conf: policy.Conf{Policy: policy.Policy{Mode: policy.WorkspaceWrite, Limits: policy.Limits{Processes: 1 << 20, Memory: 1 << 50}}}}
	r.limiter.watch.Limits = r.conf.Policy.Limits
	r.limiter.meter, r.limiter.sampler = limits.NewMeter(r.conf, nil, waits), newSampler()
	defer close(r.limiter.sampler.asked)
	r.limiter.due = time.Now()
	r.watch()
	var last sample
	for end := time.Now().Add(time.Minute); !last.last && time.Now().Before(end); time.Sleep(time.Millisecond) {
		for _, s := range r.limiter.sampler.taken() {
			last = s
		}
	}
	if !last.last {
		t.Fatal("the look is not over")
	}
	r.consider(last)
	if pause := time.Until(r.limiter.due); pause <= 0 || pause > limits.Latest {
		t.Errorf("the next look is %v away", pause)
	}
}
