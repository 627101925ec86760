package measure

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestSidesAreMeasuredByTurns(t *testing.T) {
	var order []string
	of := func(name string, took time.Duration) side {
		return func(context.Context) (time.Duration, error) { order = append(order, name); return took, nil }
	}
	a, b, err := compare(t.Context(), 0, of("ours", 3), of("floor", 2))
	if err != nil || len(a) != minSamples || len(b) != minSamples {
		t.Fatalf("%d and %d samples, %v", len(a), len(b), err)
	}
	if want := slices.Repeat([]string{"ours", "floor"}, warmUp+minSamples); !slices.Equal(order, want) {
		t.Errorf("%v", order)
	}
	if a, _, err := compare(t.Context(), time.Hour, of("", 1), of("", 1)); err != nil || len(a) != maxSamples {
		t.Errorf("%d samples, %v", len(a), err)
	}
}

func TestAFailedSampleEndsTheRow(t *testing.T) {
	broken := errors.New("broken")
	fails := func(context.Context) (time.Duration, error) { return 0, broken }
	works := func(context.Context) (time.Duration, error) { return 1, nil }
	for _, sides := range [][2]side{{fails, works}, {works, fails}} {
		if _, _, err := compare(t.Context(), 0, sides[0], sides[1]); !errors.Is(err, broken) {
			t.Errorf("%v", err)
		}
	}
}

func TestMedian(t *testing.T) {
	samples := []time.Duration{9, 1, 5, 3, 7}
	if got := median(samples); got != 5 || samples[0] != 9 {
		t.Errorf("%d of %v", got, samples)
	}
}

// The floor does what it is measured for, or it would be too low.
func TestTheFloorsDoTheirWork(t *testing.T) {
	if err := plain("printf abc; echo err >&2", 3)(t.Context()); err != nil {
		t.Error(err)
	}
	if err := plain("printf abc", 4)(t.Context()); err == nil || !strings.Contains(err.Error(), "3 bytes, not 4") {
		t.Error(err)
	}
	if err := plain("exit 3", 0)(t.Context()); err == nil {
		t.Error("exit 3 is taken")
	}
	ping, err := NewPingPong(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer ping.Close()
	if err := times(100, func(context.Context) error { return ping.Turn() })(t.Context()); err != nil {
		t.Error(err)
	}
}
