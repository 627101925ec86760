package executor

import (
	"errors"
	"strings"
	"testing"
)

// A hundred commands that waited with 10 MiB of input each took 1.1 GiB.
func TestWhatRequestsHoldTogetherHasABound(t *testing.T) {
	r := newRig(t, func(c *Config) { c.Limits.MaxConcurrent, c.Limits.MaxQueued = 1, 100 })
	large := sh("wc -c")
	large.Stdin = []byte(strings.Repeat("x", 16<<20))
	var admitted []*Run
	var busy *BusyError
	for len(admitted) < 100 {
		run, err := r.admit(large)
		if errors.As(err, &busy) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		admitted = append(admitted, run)
	}
	if len(admitted) != 3 || busy == nil || busy.Burden < 48<<20 || busy.RetryAfter <= 0 || !strings.Contains(busy.Error(), "retry") {
		t.Fatalf("%d admitted, %+v", len(admitted), busy)
	}
	small, err := r.admit(sh("true"))
	if err != nil {
		t.Fatalf("a small one: %v", err)
	}
	for _, run := range append(admitted, small) {
		if _, err := run.Do(&record{t: t}); err != nil {
			t.Fatal(err)
		}
	}
	if r.e.burden != 0 {
		t.Errorf("%d bytes are still counted", r.e.burden)
	}
	if _, err := r.admit(large); err != nil {
		t.Errorf("when they had ended: %v", err)
	}
}
