package cli

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"syscall"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/sourcegraph/conc"
	"go.lsp.dev/jsonrpc2"

	"github.com/pillion-sidecar/pillion/config"
	"github.com/pillion-sidecar/pillion/rpc"
	"github.com/pillion-sidecar/pillion/sandbox"
)

// Command is one command for Exec.
type Command struct {
	Root    string // the workspace folder, absolute
	Params  rpc.ExecParams
	Init    config.InitOptions
	JSON    bool // print JSON Lines instead of the output
	Quiet   bool // no closing line
	Version string
	colours colours

	Stdout, Stderr io.Writer
	// Signals end the command: the first one politely, the second by force, the
	// third gives up on it. SIGPIPE says that nobody reads the output.
	Signals <-chan os.Signal
}

// execID is the only command of its session.
const execID = "cli"

var outputToken = jsontext.Value(`"output"`)

// Exec runs c in the sandbox and returns the exit code to pass on.
func Exec(ctx context.Context, conf config.Config, c Command) int {
	ctx, giveUp := context.WithCancel(ctx)
	defer giveUp()
	// A terminal or file takes any amount; the budget is for editors.
	conf.Limits.StreamMaxBytes = 1 << 50
	show := newShower(c)
	mode := cmp.Or(sandbox.Mode(c.Params.Sandbox.Mode), conf.Sandbox.Mode)
	session, err := dial(ctx, conf, c.Version, mode, show.event)
	if err != nil {
		return show.failed(err)
	}
	var beside conc.WaitGroup
	done := make(chan struct{})
	beside.Go(func() { session.interrupt(ctx, c.Signals, show.interrupted, done, giveUp) })
	beside.Go(func() { show.watch(done) })
	result, err := session.run(ctx, c)
	close(done)
	session.close(ctx)
	beside.Wait()
	if ctx.Err() != nil {
		return codeCancelled // and not a word: it may not be read either
	}
	show.settle()
	if err != nil {
		return show.failed(err)
	}
	return show.finished(result)
}

// run sends the one request and waits for its answer.
func (s *client) run(ctx context.Context, c Command) (jsontext.Value, error) {
	if _, err := s.initialize(ctx, c.Root, c.Version, c.Init); err != nil {
		return nil, err
	}
	p := c.Params
	p.ExecID = execID
	if err := json.Unmarshal(outputToken, &p.PartialResultToken); err != nil {
		return nil, err
	}
	var raw jsonrpc2.RawMessage
	_, err := s.conn.Call(ctx, "exec", p, &raw)
	return jsontext.Value(raw), err
}

// interrupt passes signals on until done. Every cancel is sent beside the loop:
// its answer may be stuck behind output that nobody reads.
func (s *client) interrupt(ctx context.Context, signals <-chan os.Signal, told func(), done <-chan struct{}, giveUp func()) {
	var calls conc.WaitGroup
	defer calls.Wait()
	for n := 0; ; {
		select {
		case <-done:
			return
		case sig := <-signals:
			pipe := sig == syscall.SIGPIPE // nobody's impatience, and it may come more than once
			if !pipe {
				n++
				told()
			}
			if n > 2 {
				giveUp()
				return
			}
			p := rpc.CancelParams{ExecID: execID, Reason: sig.String(), Force: n == 2 || pipe}
			calls.Go(func() { _, _ = s.conn.Call(ctx, "exec/cancel", p, nil) })
		}
	}
}

// wireFault is the server's answer in err, if there is one.
func wireFault(err error) (*jsonrpc2.Error, bool) {
	var wire *jsonrpc2.Error
	return wire, errors.As(err, &wire)
}
