package bench

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/pillion-sidecar/pillion/cli/measure"
	"github.com/pillion-sidecar/pillion/test/long"
)

// TestDayTable is what pillion bench measures of a working day, for the page.
func TestDayTable(t *testing.T) {
	long.Test(t)
	if !wanted("a working day") {
		return
	}
	build(t, pillion, "../..")
	dir, err := os.MkdirTemp(scratch, "day")
	check(t, err)
	load, err := os.ReadFile("/proc/loadavg")
	check(t, err)
	busy, _, _ := strings.Cut(string(load), " ")
	report, err := measure.Measure(t.Context(), measure.Options{
		Program: pillion, Dir: dir, Budget: time.Millisecond, Day: time.Duration(*rounds) * 4 * time.Second,
	})
	check(t, err)
	if len(report.Day) == 0 {
		t.Fatal("nothing was measured")
	}
	var b strings.Builder
	b.WriteString("| a working day, over without a sandbox | pillion | bubblewrap |\n|---|---|---|\n")
	row := func(what string, ours, theirs float64) { fmt.Fprintf(&b, "| %s | %.2f | %.2f |\n", what, ours, theirs) }
	for _, d := range report.Day {
		row(d.What, d.Ratio, d.Bubblewrap)
	}
	ours, worst := measure.Mean(report.Day, func(d measure.Task) float64 { return d.Ratio })
	theirs, theirWorst := measure.Mean(report.Day, func(d measure.Task) float64 { return d.Bubblewrap })
	row("geometric mean", ours, theirs)
	row("the worst", worst, theirWorst)
	t.Logf("\n%s", b.String())
	if *into != "" {
		writeSection(t, *into, "bench, a working day", fmt.Sprintf("%s, %d samples a side, load average %s before.", machine(), report.Day[0].Samples, busy), b.String())
	}
}
