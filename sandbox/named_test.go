package sandbox

import (
	"testing"
	"time"
)

func TestWhatIsIdleIsDue(t *testing.T) {
	times := idleTimes{runner: time.Minute, sandbox: time.Hour}
	begin := time.Unix(1000, 0)
	for name, c := range map[string]struct {
		idle         int
		oldest, last time.Time
		want         time.Time
	}{
		"nothing":                      {0, time.Time{}, time.Time{}, time.Time{}},
		"one runner, in use":           {1, begin, time.Time{}, time.Time{}},
		"one runner, unused":           {1, begin, begin, begin.Add(time.Hour)},
		"two runners, in use":          {2, begin, time.Time{}, begin.Add(time.Minute)},
		"two runners, unused":          {2, begin, begin, begin.Add(time.Minute)},
		"two runners, long unused":     {2, begin.Add(2 * time.Hour), begin, begin.Add(time.Hour)},
		"all runners crashed, no user": {0, time.Time{}, begin, begin.Add(time.Hour)},
	} {
		if got := times.due(c.idle, c.oldest, c.last); !got.Equal(c.want) {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}
