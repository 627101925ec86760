package executor

import (
	"testing"
	"time"
)

func TestBucketsHoldTheirValues(t *testing.T) {
	for us := uint64(0); us < 1<<20; us += 1 + us/50 {
		i := bucket(us)
		if hi := top(i); int64(us) > hi || us > 8 && float64(hi) > 1.26*float64(us) {
			t.Fatalf("%d is in bucket %d, which ends at %d", us, i, hi)
		}
		if i > 0 && int64(us) <= top(i-1) {
			t.Fatalf("%d belongs into bucket %d", us, i-1)
		}
	}
	if i := bucket(1 << 63); i != maxBuckets-1 {
		t.Errorf("the longest time is in bucket %d", i)
	}
}

func TestPercentiles(t *testing.T) {
	var none timing
	if none.percentile(50) != 0 || none.percentile(99) != 0 {
		t.Error("percentiles of nothing")
	}
	var all timing
	for us := 1; us <= 100; us++ {
		all.add(time.Duration(us) * time.Microsecond)
	}
	if p := all.percentile(50); p < 50 || p > 63 {
		t.Errorf("median %d", p)
	}
	if p := all.percentile(99); p < 99 || p > 124 {
		t.Errorf("p99 %d", p)
	}
	var slow timing
	slow.add(-time.Second) // a clock that was set back
	slow.add(time.Hour)
	if slow.percentile(50) != 0 || slow.percentile(99) <= 0 {
		t.Errorf("%d %d", slow.percentile(50), slow.percentile(99))
	}
}
