package executor

import (
	"math/bits"
	"time"
)

// timing counts durations in fixed buckets, four to a power of two of
// microseconds: a percentile is at most a quarter too high, and a server that
// runs for months needs no more memory than on its first day.
type timing struct {
	count   int64
	buckets [maxBuckets]int64
}

// maxBuckets end at half an hour, far beyond any verdict.
const maxBuckets = 128

func (t *timing) add(d time.Duration) {
	t.count++
	t.buckets[bucket(uint64(max(d.Microseconds(), 0)))]++
}

// percentile is an upper bound, in microseconds, of the fastest p percent; 0
// while nothing was counted.
func (t *timing) percentile(p int64) int64 {
	left := (t.count*p + 99) / 100
	for i, n := range t.buckets {
		if left -= n; n > 0 && left <= 0 {
			return top(i)
		}
	}
	return 0
}

// bucket is exact below four, then a power of two and its next two bits.
func bucket(us uint64) int {
	if us < 4 {
		return int(us)
	}
	shift := bits.Len64(us) - 3
	return min(4*shift+int(us>>shift), maxBuckets-1)
}

// top is the largest value of a bucket.
func top(i int) int64 {
	if i < 4 {
		return int64(i)
	}
	shift := i/4 - 1
	return (int64(i%4+5) << shift) - 1
}
