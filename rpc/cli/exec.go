package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"syscall"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/sourcegraph/conc"
	"go.lsp.dev/jsonrpc2"

	"github.com/pillion-sidecar/pillion/config"
	"github.com/pillion-sidecar/pillion/rpc"
)

// Command is one command for Exec.
type Command struct {
	Root    string // the workspace folder, absolute
	Params  rpc.ExecParams
	Init    config.InitOptions
	JSON    bool // print the result instead of the output
	Quiet   bool // no closing line
	Version string

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
	show := &shower{c: c, stdout: screened(c.Stdout), stderr: screened(c.Stderr)}
	session, err := dial(ctx, conf, c.Version, show.event)
	if err != nil {
		return show.failed(err)
	}
	var interrupts conc.WaitGroup
	done := make(chan struct{})
	interrupts.Go(func() { session.interrupt(ctx, c.Signals, done, giveUp) })
	result, err := session.run(ctx, c)
	close(done)
	session.close(ctx)
	interrupts.Wait()
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
	if !c.JSON {
		if err := json.Unmarshal(outputToken, &p.PartialResultToken); err != nil {
			return nil, err
		}
	}
	var raw jsonrpc2.RawMessage
	_, err := s.conn.Call(ctx, "exec", p, &raw)
	return jsontext.Value(raw), err
}

// interrupt passes signals on until done. Every cancel is sent beside the loop:
// its answer may be stuck behind output that nobody reads.
func (s *client) interrupt(ctx context.Context, signals <-chan os.Signal, done <-chan struct{}, giveUp func()) {
	var calls conc.WaitGroup
	defer calls.Wait()
	for n := 1; ; n++ {
		select {
		case <-done:
			return
		case sig := <-signals:
			if n > 2 {
				giveUp()
				return
			}
			p := rpc.CancelParams{ExecID: execID, Reason: sig.String(), Force: n == 2 || sig == syscall.SIGPIPE}
			calls.Go(func() { _, _ = s.conn.Call(ctx, "exec/cancel", p, nil) })
		}
	}
}

// shower turns what the server sends into what a person sees.
type shower struct {
	c              Command
	stdout, stderr io.Writer
	broken         atomic.Bool // nobody reads the output
}

func (s *shower) event(e event) {
	if s.broken.Load() {
		return // every further write would be another SIGPIPE
	}
	w := s.stdout
	if e.Stream == "stderr" {
		w = s.stderr
	}
	var err error
	switch {
	case e.Type == "gap":
		s.settle()
		err = s.say("%d bytes of %s are missing here (%s)", e.To-e.From, e.Stream, e.Reason)
	case e.Type == "output" && e.Text != nil:
		_, err = io.WriteString(w, *e.Text)
	case e.Type == "output":
		_, err = w.Write(e.Data)
	}
	if err != nil {
		s.broken.Store(true)
	}
}

// settle comes before what pillion itself says.
func (s *shower) settle() {
	if !s.broken.Load() && errors.Join(settle(s.stdout), settle(s.stderr)) != nil {
		s.broken.Store(true)
	}
}

func (s *shower) say(format string, args ...any) error {
	_, err := fmt.Fprintf(s.c.Stderr, "pillion: "+format+"\n", args...)
	return err
}

// failed reports that nothing was started.
func (s *shower) failed(err error) int {
	f := explainCommand(err, asked{command: s.c.Params.Command, argv: s.c.Params.Argv}, painterOf(s.c.Stderr))
	if s.c.JSON {
		_, _ = s.c.Stdout.Write(append(rpc.Inert(f.json()), '\n'))
		return f.code
	}
	for _, line := range f.lines {
		if line != "" { // every line has the name in front, so none is needed between them
			_ = s.say("%s", line)
		}
	}
	return f.code
}

func (s *shower) finished(raw jsontext.Value) int {
	var r rpc.ExecResult
	if err := json.Unmarshal(raw, &r); err != nil {
		return s.failed(fmt.Errorf("the result can't be read: %w", err))
	}
	if s.c.JSON {
		_, _ = s.c.Stdout.Write(append(rpc.Inert(raw), '\n'))
	}
	if !s.c.Quiet && !s.c.JSON {
		for _, line := range refused(r.Violations) {
			_ = s.say("%s", line)
		}
		_ = s.say("%s", summary(r))
	}
	if s.broken.Load() {
		return 128 + int(syscall.SIGPIPE)
	}
	return exitCode(r)
}

// wireFault is the server's answer in err, if there is one.
func wireFault(err error) (*jsonrpc2.Error, bool) {
	var wire *jsonrpc2.Error
	return wire, errors.As(err, &wire)
}
