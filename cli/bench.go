package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/pillion-sidecar/pillion/cli/measure"
	"github.com/pillion-sidecar/pillion/cli/terminal"
)

// benchmark is what bench prints.
type benchmark struct {
	Version    string         `json:"version"`
	Platform   string         `json:"platform"`
	Cores      int            `json:"cores"`
	LoadBefore *float64       `json:"loadBefore"` // how many wanted to run, in the mean of a minute; null: not known
	LoadAfter  *float64       `json:"loadAfter"`
	Rung       string         `json:"rung"`
	Full       bool           `json:"full"` // the default sandbox was enforced in full
	Rows       []measure.Row  `json:"rows"`
	Day        []measure.Task `json:"day"`
}

func (p *program) benchCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "bench",
		Short: "Measure what pillion costs on this machine",
		Long: `bench measures ratios: what pillion needs over the least that the same could
cost here, by turns in one run. 1.00 is as fast as it could be; of a share, 0.50
is half as fast. It needs nothing but sh and cat, and says which rung of the
sandbox was measured (pillion doctor explains it). With git, make, cc and
python3, as far as they are there, it measures a working day too, and where
bubblewrap is, the same in that. A machine that is busy with
other things gives useless figures, so the load is printed.

--json prints one object: the machine, and of each row the ratio, the number of
samples and both medians. docs/performance.md has the project's own figures.`,
		Example: `  pillion bench
  pillion bench --for 30s --json`,
		Args: atMost(0),
	}
	asJSON := c.Flags().Bool("json", false, "print one line of JSON")
	budget := c.Flags().Duration("for", 8*time.Second, "how long to measure single steps")
	day := c.Flags().Duration("day", 30*time.Second, "how long to measure a working day; 0 leaves it out")
	c.RunE = func(*cobra.Command, []string) error {
		if *budget <= 0 {
			return mistake("for", "a duration such as 8s", budget.String())
		}
		if *day < 0 {
			return mistake("day", "a duration such as 30s", day.String())
		}
		return p.bench(measure.Options{Budget: *budget, Day: *day}, *asJSON)
	}
	return c
}

func (p *program) bench(o measure.Options, asJSON bool) error {
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	dir, err := benchDir()
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	out := benchmark{Version: p.version, Platform: runtime.GOOS + "/" + runtime.GOARCH, Cores: runtime.NumCPU(), LoadBefore: load()}
	o.Program, o.Dir = exe, dir
	if f, ok := p.stderr.(*os.File); ok && terminal.IsTerminal(f) {
		o.Progress = func(what string) { fmt.Fprintf(f, "\r\x1b[K%s", what) }
		defer fmt.Fprint(f, "\r\x1b[K")
	}
	report, err := measure.Measure(ctx, o)
	err = errors.Join(err, os.RemoveAll(dir))
	if ctx.Err() != nil {
		p.code = codeCancelled
		return nil
	}
	if err != nil {
		return err
	}
	out.Rung, out.Full, out.Rows, out.Day, out.LoadAfter = report.Rung, report.Full, report.Rows, report.Day, load()
	if asJSON {
		return terminal.WriteJSON(p.stdout, out)
	}
	return p.print(out.text())
}

// benchDir is below the user's cache: /tmp may be memory, which is not where commands
// and their output are.
func benchDir() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(cache, 0o700); err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp(cache, "pillion-bench-*")
	if err != nil {
		return "", err
	}
	return filepath.Abs(dir)
}

// load is nil where the system doesn't say.
func load() *float64 {
	b, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return nil
	}
	word, _, _ := strings.Cut(string(b), " ")
	n, err := strconv.ParseFloat(word, 64)
	if err != nil {
		return nil
	}
	return &n
}

func (b benchmark) text() string {
	var out strings.Builder
	enforced := "the default sandbox in full"
	if !b.Full {
		enforced = "NOT the default sandbox in full"
	}
	fmt.Fprintf(&out, "pillion %s · %s · %d cores · rung %s, %s\n", b.Version, b.Platform, b.Cores, b.Rung, enforced)
	for _, r := range b.Rows {
		kind := ""
		if r.Share {
			kind = " (share: the larger the better)"
		}
		fmt.Fprintf(&out, "%6.2f  %s%s · %s, %d samples\n", r.Ratio, r.What, kind, time.Duration(r.Nanoseconds).Round(time.Microsecond), r.Samples)
	}
	out.WriteString(workingDay(b.Day))
	if b.LoadBefore != nil && b.LoadAfter != nil {
		note := "quiet enough"
		if *b.LoadBefore > float64(b.Cores)/2 {
			note = "BUSY: measure again when it is not"
		}
		fmt.Fprintf(&out, "load %.2f before, %.2f after: %s\n", *b.LoadBefore, *b.LoadAfter, note)
	}
	return out.String()
}

// workingDay is a table of whole pieces of work.
func workingDay(day []measure.Task) string {
	if len(day) == 0 {
		return ""
	}
	var out strings.Builder
	line := func(ours, theirs float64, what string) {
		peer := "     -"
		if theirs > 0 {
			peer = fmt.Sprintf("%6.2f", theirs)
		}
		fmt.Fprintf(&out, "%6.2f  %s  %s\n", ours, peer, what)
	}
	fmt.Fprintf(&out, "a working day, in the sandbox and in bubblewrap / plain, %d samples\n", day[0].Samples)
	for _, t := range day {
		line(t.Ratio, t.Bubblewrap, t.What)
	}
	ours, worst := measure.Mean(day, func(t measure.Task) float64 { return t.Ratio })
	theirs, theirWorst := measure.Mean(day, func(t measure.Task) float64 { return t.Bubblewrap })
	line(ours, theirs, "geometric mean")
	line(worst, theirWorst, "the worst")
	return out.String()
}
