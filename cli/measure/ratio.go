package measure

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/go-json-experiment/json"
)

// Row is one figure.
type Row struct {
	Name        string  `json:"name"` // for programs: it stays
	What        string  `json:"what"` // for people
	Ratio       float64 `json:"ratio"`
	Share       bool    `json:"share"` // the larger the better: the floor's time over ours
	Samples     int     `json:"samples"`
	Nanoseconds int64   `json:"nanoseconds"` // median, of one
	Floor       int64   `json:"floorNanoseconds"`
}

// Options say what is measured where.
type Options struct {
	Program string        // pillion
	Dir     string        // an empty directory of this run's own
	Budget  time.Duration // for all samples of Rows
	Day     time.Duration // for those of Report.Day; 0: none
	// Progress is told what is measured now; nil: nobody.
	Progress func(what string)
}

// Report is what was measured.
type Report struct {
	Rung string // of the sandbox, as the sidecar reports it
	Full bool   // the default mode is enforced in full there
	Rows []Row
	Day  []Task // as far as the machine has the programs for it
}

// bench is one run.
type bench struct {
	Options
	workspace string
	*Client
	report Report
}

// Measure measures everything.
func Measure(ctx context.Context, o Options) (report Report, err error) {
	for _, name := range []string{"/bin/sh", "cat"} {
		if _, err := exec.LookPath(name); err != nil {
			return report, fmt.Errorf("what is measured is compared with sh and cat: %w", err)
		}
	}
	b := &bench{Options: o, workspace: filepath.Join(o.Dir, "ws")}
	for _, dir := range []string{"ws", "home"} {
		if err := os.Mkdir(filepath.Join(o.Dir, dir), 0o700); err != nil {
			return report, err
		}
	}
	if b.Client, err = b.start(ctx); err != nil {
		return report, err
	}
	defer func() {
		if err != nil { // it may not answer any more
			b.Kill()
			return
		}
		err = b.Close()
	}()
	if err := b.open(); err != nil {
		return report, err
	}
	for _, measure := range []func(context.Context) error{b.commands, b.roundTrips, b.output, b.starts, b.day} {
		if err := measure(ctx); err != nil {
			if ctx.Err() != nil {
				err = context.Cause(ctx)
			}
			return report, err
		}
	}
	return b.report, nil
}

// start starts the program as a sidecar, with directories of its own.
func (b *bench) start(ctx context.Context) (*Client, error) {
	home := filepath.Join(b.Dir, "home")
	cmd := exec.CommandContext(ctx, b.Program, "serve")
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "XDG_CACHE_HOME=" + home + "/cache", "XDG_STATE_HOME=" + home + "/state",
		"XDG_CONFIG_HOME=" + home + "/config",
	}
	return Start(cmd)
}

// granted are the initializationOptions: some commands are measured without the
// sandbox.
const granted = `{"protocolVersion":1,"policy":{"allowOff":true}}`

// open asks the sidecar what it can enforce.
func (b *bench) open() error {
	answer, err := b.Initialize(b.workspace, granted)
	if err != nil {
		return err
	}
	var m struct {
		Result struct {
			Capabilities struct {
				Sandbox struct {
					Rung string `json:"rung"`
				} `json:"sandbox"`
			} `json:"capabilities"`
		} `json:"result"`
	}
	err = json.Unmarshal(answer, &m)
	b.report.Rung = m.Result.Capabilities.Sandbox.Rung
	return err
}

func (b *bench) progress(format string, args ...any) {
	if b.Progress != nil {
		b.Progress(fmt.Sprintf(format, args...))
	}
}

// row measures one figure of what is done n times.
func (b *bench) row(ctx context.Context, r Row, n int, ours, floor side) error {
	const figures = 6
	b.progress("%s", r.What)
	us, it, err := compare(ctx, b.Budget/figures, ours, floor)
	if err != nil {
		return fmt.Errorf("%s: %w", r.Name, err)
	}
	r.Samples, r.Nanoseconds, r.Floor = len(us), median(us).Nanoseconds()/int64(n), median(it).Nanoseconds()/int64(n)
	r.Ratio = float64(r.Nanoseconds) / float64(r.Floor)
	if r.Share {
		r.Ratio = 1 / r.Ratio
	}
	b.report.Rows = append(b.report.Rows, r)
	return nil
}
