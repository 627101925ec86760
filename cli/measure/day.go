package measure

import (
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Task is a piece of work as a working day has it: with the sandbox, and with bubblewrap,
// over without any.
type Task struct {
	Name       string  `json:"name"`
	What       string  `json:"what"`
	Ratio      float64 `json:"ratio"`
	Bubblewrap float64 `json:"bubblewrap,omitzero"` // 0: not on this machine
	Samples    int     `json:"samples"`
}

// Mean is the geometric mean of the tasks' ratios, Worst the largest.
func Mean(day []Task, of func(Task) float64) (mean, worst float64) {
	for _, t := range day {
		mean += math.Log(of(t)) / float64(len(day))
		worst = max(worst, of(t))
	}
	return math.Exp(mean), worst
}

// day measures a working day by turns, each task once a round, until the budget is spent.
func (b *bench) day(ctx context.Context) error {
	if b.Day <= 0 {
		return nil
	}
	outside := filepath.Join(b.Dir, "plain")
	if err := os.Mkdir(outside, 0o700); err != nil {
		return err
	}
	for _, dir := range []string{b.workspace, outside} {
		if err := at(dir, "/bin/sh", "-c")(ctx, makeDay); err != nil {
			return fmt.Errorf("a repository to work in: %w", err)
		}
	}
	todo := slices.DeleteFunc(slices.Clone(works), func(w work) bool { return !have(w.needs) })
	sides := []func(context.Context, string) error{b.boxed, at(outside, "/bin/sh", "-c")}
	if boxed := append(bubblewrap(outside), "/bin/sh", "-c"); at(outside, boxed...)(ctx, "true") == nil {
		sides = append(sides, at(outside, boxed...))
	}
	took := make([][][]time.Duration, len(todo))
	end := time.Now().Add(b.Day)
	for round := -1; round < 1 || time.Now().Before(end); round++ {
		for i, w := range todo {
			if round > 0 && time.Now().After(end) {
				break
			}
			b.progress("a working day, round %d: %s", round+2, w.what)
			if round < 1 { // the first one is to warm up
				took[i] = make([][]time.Duration, len(sides))
			}
			if err := w.sample(ctx, sides, took[i]); err != nil {
				return err
			}
		}
	}
	for i, w := range todo {
		b.report.Day = append(b.report.Day, w.task(took[i]))
	}
	return nil
}

// sample does the work once on each side.
func (w work) sample(ctx context.Context, sides []func(context.Context, string) error, took [][]time.Duration) error {
	for i, do := range sides {
		start := time.Now()
		if err := do(ctx, w.script); err != nil {
			return fmt.Errorf("%s: %w", w.what, err)
		}
		took[i] = append(took[i], time.Since(start))
	}
	return nil
}

// task is what the samples of the sides say: ours, plain, bubblewrap's where it is.
func (w work) task(took [][]time.Duration) Task {
	plain := median(took[1]).Seconds()
	t := Task{Name: w.name, What: w.what, Samples: len(took[0]), Ratio: median(took[0]).Seconds() / plain}
	if len(took) > 2 {
		t.Bubblewrap = median(took[2]).Seconds() / plain
	}
	return t
}

// boxed is a request of the sidecar's.
func (b *bench) boxed(_ context.Context, script string) error {
	_, err := b.Run(`{"command":` + Quote(script) + `,"sandbox":{"require":"bestEffort"}}`)
	return err
}

// at runs scripts in a directory as the last argument of argv.
func at(dir string, argv ...string) func(context.Context, string) error {
	return func(ctx context.Context, script string) error {
		cmd := exec.CommandContext(ctx, argv[0], append(slices.Clip(argv[1:]), script)...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w: %s", argv[0], err, strings.TrimSpace(string(out[:min(len(out), 500)])))
		}
		return nil
	}
}

// bubblewrap is it with a profile that is like ours.
func bubblewrap(dir string) []string {
	return []string{
		"bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--ro-bind", "/", "/", "--dev", "/dev",
		"--proc", "/proc", "--tmpfs", "/tmp", "--bind", dir, dir, "--chdir", dir, "--",
	}
}

func have(programs []string) bool {
	return !slices.ContainsFunc(programs, func(name string) bool {
		_, err := exec.LookPath(name)
		return err != nil
	})
}
