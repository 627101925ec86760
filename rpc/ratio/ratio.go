package ratio

import (
	"bytes"
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
	Budget  time.Duration // for all samples
}

// Report is what was measured.
type Report struct {
	Rung string // of the sandbox, as the sidecar reports it
	Full bool   // the default mode is enforced in full there
	Rows []Row
}

// bench is one run.
type bench struct {
	Options
	workspace string
	*editor
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
	if b.editor, err = b.start(ctx); err != nil {
		return report, err
	}
	defer func() {
		if err != nil { // it may not answer any more
			b.kill()
			return
		}
		err = b.close()
	}()
	if err := b.open(); err != nil {
		return report, err
	}
	for _, measure := range []func(context.Context) error{b.commands, b.roundTrips, b.output, b.starts} {
		if err := measure(ctx); err != nil {
			if ctx.Err() != nil {
				err = context.Cause(ctx)
			}
			return report, err
		}
	}
	return b.report, nil
}

func (b *bench) start(ctx context.Context) (*editor, error) {
	return start(ctx, b.Program, filepath.Join(b.Dir, "home"))
}

// open asks the sidecar what it can enforce.
func (b *bench) open() error {
	answer, err := b.initialize(b.workspace)
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

// row measures one figure of what is done n times.
func (b *bench) row(ctx context.Context, r Row, n int, ours, floor side) error {
	const figures = 6
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

// exec runs true by a request.
func (b *bench) exec(params string) func(context.Context) error {
	return func(context.Context) error {
		_, err := b.run(params)
		return err
	}
}

// commands are what one costs, with the sandbox and without.
func (b *bench) commands(ctx context.Context) error {
	const boxed = `{"command":"true","sandbox":{"require":"bestEffort"}}`
	answer, err := b.run(boxed)
	if err != nil {
		return err
	}
	b.report.Full = full(answer)
	floor := timed(plain("true", 0))
	if err := b.row(ctx, Row{Name: "exec", What: "a command, from request to result / a plain start of sh"}, 1, timed(b.exec(boxed)), floor); err != nil {
		return err
	}
	off := timed(b.exec(`{"command":"true","sandbox":{"mode":"off"}}`))
	if err := b.row(ctx, Row{Name: "execOff", What: "the same without the sandbox / a plain start of sh"}, 1, off, floor); err != nil {
		return err
	}
	return b.row(ctx, Row{Name: "sandbox", What: "a command in the sandbox / without"}, 1, timed(b.exec(boxed)), off)
}

// full reads what a result says of the sandbox.
func full(answer []byte) bool {
	for _, level := range []string{"fsWrite", "fsRead", "network", "processTree"} {
		if !bytes.Contains(answer, []byte(`"`+level+`":"enforced"`)) {
			return false
		}
	}
	return true
}

// roundTrips are what a request costs that does nothing. One alone measures how fast
// a machine wakes up, so it is twenty in a row.
func (b *bench) roundTrips(ctx context.Context) error {
	const n = 20
	ping, err := newPingPong(ctx)
	if err != nil {
		return err
	}
	defer ping.close()
	empty := func(context.Context) error {
		_, err := b.call("exec/list", "{}")
		return err
	}
	return b.row(ctx, Row{Name: "roundTrip", What: "an empty request and its answer / a line to cat and back"}, n,
		timed(times(n, empty)), timed(times(n, ping.turn)))
}

// output is what streaming costs.
func (b *bench) output(ctx context.Context) error {
	const size = 4 << 20
	var text bytes.Buffer
	for i := 0; text.Len() < size; i++ {
		fmt.Fprintf(&text, "2026-01-02T03:04:05Z level=info msg=\"request %d served\" path=/a/b?c=%d\n", i, i*7)
	}
	file := filepath.Join(b.workspace, "log")
	if err := os.WriteFile(file, text.Bytes()[:size], 0o600); err != nil {
		return err
	}
	stream := func(context.Context) error {
		answer, err := b.run(`{"execId":"flood","argv":["cat","log"],"partialResultToken":"p","sandbox":{"require":"bestEffort"}}`)
		if err != nil {
			return err
		}
		if !bytes.Contains(answer, fmt.Appendf(nil, `"streamedBytes":%d`, size)) {
			return fmt.Errorf("not everything arrived: %.500s", answer)
		}
		_, err = b.call("exec/release", `{"execId":"flood"}`) // as a client that has it all
		return err
	}
	relay := plain("cat '"+file+"' | cat", size)
	return b.row(ctx, Row{Name: "output", What: "output of a command, 4 MiB of a log / cat | cat", Share: true}, 1, timed(stream), timed(relay))
}

// starts are what an editor waits for.
func (b *bench) starts(ctx context.Context) error {
	ours := func(ctx context.Context) (time.Duration, error) {
		begin := time.Now()
		e, err := b.start(ctx)
		if err != nil {
			return 0, err
		}
		_, err = e.initialize(b.workspace)
		took := time.Since(begin)
		if err != nil {
			e.kill()
			return 0, err
		}
		return took, e.close() // which does not count
	}
	return b.row(ctx, Row{Name: "start", What: "a sidecar, from start to the answer to initialize / a plain start of sh"}, 1, ours, timed(plain("true", 0)))
}
