package measure

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// exec runs true by a request.
func (b *bench) exec(params string) func(context.Context) error {
	return func(context.Context) error {
		_, err := b.Run(params)
		return err
	}
}

// commands are what one costs, with the sandbox and without.
func (b *bench) commands(ctx context.Context) error {
	const boxed = `{"command":"true","sandbox":{"require":"bestEffort"}}`
	answer, err := b.Run(boxed)
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
	ping, err := NewPingPong(ctx)
	if err != nil {
		return err
	}
	defer ping.Close()
	empty := func(context.Context) error {
		_, err := b.Call("exec/list", "{}")
		return err
	}
	return b.row(ctx, Row{Name: "roundTrip", What: "an empty request and its answer / a line to cat and back"}, n,
		timed(times(n, empty)), timed(times(n, func(context.Context) error { return ping.Turn() })))
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
		answer, err := b.Run(`{"execId":"flood","argv":["cat","log"],"partialResultToken":"p","sandbox":{"require":"bestEffort"}}`)
		if err != nil {
			return err
		}
		if !bytes.Contains(answer, fmt.Appendf(nil, `"streamedBytes":%d`, size)) {
			return fmt.Errorf("not everything arrived: %.500s", answer)
		}
		_, err = b.Call("exec/release", `{"execId":"flood"}`) // as a client that has it all
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
		_, err = e.Initialize(b.workspace, granted)
		took := time.Since(begin)
		if err != nil {
			e.Kill()
			return 0, err
		}
		return took, e.Close() // which does not count
	}
	return b.row(ctx, Row{Name: "start", What: "a sidecar, from start to the answer to initialize / a plain start of sh"}, 1, ours, timed(plain("true", 0)))
}
