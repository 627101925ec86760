package bench

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// gateTime is the longest wait for a quiet machine before one sample.
const gateTime = 300 * time.Millisecond

// gate waits until we are the only runnable process of the machine. Where that
// can't be read, it doesn't wait.
func gate() {
	for end := time.Now().Add(gateTime); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		b, err := os.ReadFile("/proc/loadavg")
		if err != nil || quiet(string(b)) {
			return
		}
	}
}

// quiet reads the runnable/all field of /proc/loadavg; the reader is runnable.
func quiet(loadavg string) bool {
	f := strings.Fields(loadavg)
	return len(f) > 3 && strings.HasPrefix(f[3], "1/")
}

// comparison is what one row measures: run returns the time that counts.
type comparison struct {
	ours, floor func() time.Duration
}

// result is a row of the table.
type result struct {
	median float64 // of the medians
	p99    float64 // our 99th percentile over the floor's median
}

// measure takes rounds of samples by turns, after some that don't count.
func (c comparison) measure(rounds int) result {
	for range min(rounds, 10) {
		c.ours()
		c.floor()
	}
	var ours, floor []time.Duration
	for range rounds {
		if rounds >= 20 { // fewer measure nothing anyway
			gate()
		}
		ours = append(ours, c.ours())
		if rounds >= 20 {
			gate()
		}
		floor = append(floor, c.floor())
	}
	base := float64(quantile(floor, 0.5))
	return result{median: float64(quantile(ours, 0.5)) / base, p99: float64(quantile(ours, 0.99)) / base}
}

// quantile sorts samples and takes the one at q.
func quantile(samples []time.Duration, q float64) time.Duration {
	slices.Sort(samples)
	return samples[min(int(q*float64(len(samples))), len(samples)-1)]
}

func TestQuantile(t *testing.T) {
	var s []time.Duration
	for i := range 100 {
		s = append(s, time.Duration(100-i))
	}
	for q, want := range map[float64]time.Duration{0: 1, 0.5: 51, 0.99: 100, 1: 100} {
		if got := quantile(s, q); got != want {
			t.Errorf("quantile %v is %d, want %d", q, got, want)
		}
	}
	if got := quantile([]time.Duration{7}, 0.99); got != 7 {
		t.Errorf("of one sample: %d", got)
	}
}

func TestQuietMeansNobodyElseRuns(t *testing.T) {
	for loadavg, want := range map[string]bool{
		"0.00 0.01 0.05 1/123 4567\n": true,
		"0.00 0.01 0.05 2/123 4567\n": false,
		"3.00 2.01 1.05 11/99 4567\n": false,
		"garbage":                     false,
	} {
		if got := quiet(loadavg); got != want {
			t.Errorf("%q: %v", loadavg, got)
		}
	}
}
