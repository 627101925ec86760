package cli

import (
	"testing"
	"time"
)

func TestTimesAndSizesAreRead(t *testing.T) {
	for d, want := range map[time.Duration]string{
		1900 * time.Millisecond: "1 s", 59 * time.Second: "59 s", 61 * time.Second: "1 min 01 s",
		time.Hour + 62*time.Second: "1 h 01 min",
	} {
		if got := clock(d); got != want {
			t.Errorf("%s: %s, want %s", d, got, want)
		}
	}
	for n, want := range map[int64]string{0: "0 bytes", 999: "999 bytes", 1000: "1.0 kB", 3_450_000: "3.5 MB", 20e9: "20.0 GB"} {
		if got := size(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}
