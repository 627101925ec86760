package measure

import (
	"context"
	"slices"
	"time"
)

// side is one of the two that are compared. It returns the time that counts.
type side func(context.Context) (time.Duration, error)

const (
	warmUp     = 2 // of each side, not counted
	minSamples = 3
	maxSamples = 200
)

// compare takes samples of both sides by turns, until the budget is spent.
func compare(ctx context.Context, budget time.Duration, ours, floor side) (a, b []time.Duration, err error) {
	end := time.Now().Add(budget)
	for n := -warmUp; n < minSamples || n < maxSamples && time.Now().Before(end); n++ {
		us, err := ours(ctx)
		if err != nil {
			return nil, nil, err
		}
		it, err := floor(ctx)
		if err != nil {
			return nil, nil, err
		}
		if n >= 0 {
			a, b = append(a, us), append(b, it)
		}
	}
	return a, b, nil
}

func median(samples []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(samples))
	return sorted[len(sorted)/2]
}

// timed is the side that f is as a whole.
func timed(f func(context.Context) error) side {
	return func(ctx context.Context) (time.Duration, error) {
		start := time.Now()
		err := f(ctx)
		return time.Since(start), err
	}
}

// times is f done n times.
func times(n int, f func(context.Context) error) func(context.Context) error {
	return func(ctx context.Context) error {
		for range n {
			if err := f(ctx); err != nil {
				return err
			}
		}
		return nil
	}
}
