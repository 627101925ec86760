package cli

import (
	"cmp"
	"context"
	"io"
	"os"
	"slices"
	"syscall"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/sourcegraph/conc"

	"github.com/pillion-sidecar/pillion/cli/terminal"
	"github.com/pillion-sidecar/pillion/config"
	"github.com/pillion-sidecar/pillion/rpc/client"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
	"github.com/pillion-sidecar/pillion/sandbox"
)

// Command is one command for Exec.
type Command struct {
	Root    string // the workspace folder, absolute
	Params  protocol.ExecParams
	Init    config.InitOptions
	JSON    bool // print JSON Lines instead of the output
	Quiet   bool // no closing line
	Version string
	colours terminal.Colours

	model    *model // who reads the output, nil for a person
	conf     config.Config
	forward  map[int]int // ports to let out, see forwards
	approved []string    // rules that a person was asked about
	attached *attached
	ask      *asker // the person who is asked, or nil
	sh       bool   // it stands for a shell: its own words only where something was refused

	Stdout, Stderr io.Writer
	// Signals end the command: the first one politely, the second by force, the third
	// gives up on it. SIGPIPE says that the output has no reader any more.
	Signals <-chan os.Signal
}

// execID is the only command of its session.
const execID = "cli"

// Exec runs c in the sandbox and returns the exit code to pass on.
func Exec(ctx context.Context, conf config.Config, c Command) int {
	ctx, giveUp := context.WithCancel(ctx)
	defer giveUp()
	// A terminal or file takes any amount; the budget is for editors.
	conf.Limits.StreamMaxBytes = 1 << 50
	c.conf = conf
	show := newShower(c)
	c = show.c
	if c.ask != nil {
		c.ask.show = show
	}
	mode := cmp.Or(sandbox.Mode(c.Params.Sandbox.Mode), conf.Sandbox.Mode)
	out := &forwards{want: c.forward, show: show}
	session, err := dial(ctx, conf, c.Version, mode, client.Options{Event: show.event, Approve: c.approve, Port: out.hear, Stray: c.ask.message})
	if err != nil {
		return show.failed(err)
	}
	out.session = session
	code, next := 0, call{"exec", c.first()}
	_, err = session.Initialize(ctx, c.greeting(), c.Init)
	for _, rule := range c.approved { // a yes to a rule that there isn't would be to nothing
		if err == nil {
			err = session.Call(ctx, "guard/explain", protocol.ExplainParams{RuleID: rule}, new(protocol.ExplainResult))
		}
	}
	for err == nil && next.method != "" {
		var raw jsontext.Value
		if raw, err = c.attempt(ctx, session, show, giveUp, next); err == nil && ctx.Err() == nil {
			show.settle()
			code = show.finished(raw)
			next = c.again(ctx, session, raw)
		}
	}
	_ = session.Close(ctx)
	out.calls.Wait()
	if ctx.Err() != nil {
		return codeCancelled // and not a word: it may not be read either
	}
	if err != nil {
		show.settle()
		return show.failed(err)
	}
	return code
}

// call is a request that runs a command.
type call struct {
	method string
	params any
}

func (c Command) first() protocol.ExecParams {
	p := c.Params
	p.ExecID, p.PartialResultToken = c.id(), protocol.Token("output")
	return p
}

// attempt sends a request and waits for its answer, with what the person does meanwhile.
func (c Command) attempt(
	ctx context.Context, session *client.Client, show *shower, giveUp func(), next call,
) (raw jsontext.Value, err error) {
	var beside conc.WaitGroup
	defer beside.Wait()
	done, begun := make(chan struct{}), make(chan struct{})
	defer close(done)
	beside.Go(func() { c.interrupt(ctx, session, show.interrupted, done, giveUp) })
	beside.Go(func() { show.watch(done) })
	show.begun = func() { close(begun) }
	beside.Go(func() {
		select {
		case <-begun:
			c.feed(ctx, session, done)
		case <-done:
		}
	})
	return raw, session.Call(ctx, next.method, next.params, &raw)
}

// again is what runs next: the same once more with what it was refused, if the person at
// the terminal says so.
func (c Command) again(ctx context.Context, session *client.Client, raw jsontext.Value) (next call) {
	var r protocol.ExecResult
	if c.ask == nil || c.Quiet || json.Unmarshal(raw, &r) != nil || exitCode(r) == 0 || r.Cancelled {
		return next
	}
	var given []protocol.AccessGrant
	for _, v := range r.Violations {
		if v.Allow != nil && !slices.Contains(given, *v.Allow) {
			given = append(given, *v.Allow)
		}
	}
	if len(given) == 0 || !c.ask.again(ctx, c.Signals) {
		return next
	}
	if session.Call(ctx, "exec/release", protocol.ReleaseParams{ExecID: c.id()}, nil) != nil { // the id is taken again
		return next
	}
	return call{"exec/retry", protocol.RetryParams{
		ExecID: c.id(), NewExecID: c.id(), Grants: given, PartialResultToken: protocol.Token("output"),
	}}
}

// interrupt passes signals on until done. Every cancel is sent beside the loop: its answer
// may be stuck after output that is not read.
func (c Command) interrupt(ctx context.Context, session *client.Client, told func(), done <-chan struct{}, giveUp func()) {
	var calls conc.WaitGroup
	defer calls.Wait()
	for n := 0; ; {
		select {
		case <-done:
			return
		case sig := <-c.Signals:
			pipe := sig == syscall.SIGPIPE // a signal of the system, which may come more than once
			if !pipe {
				n++
				told()
			}
			if n > 2 {
				giveUp()
				return
			}
			p := protocol.CancelParams{ExecID: c.id(), Reason: sig.String(), Force: n == 2 || pipe}
			calls.Go(func() { _ = session.Call(ctx, "exec/cancel", p, nil) })
		}
	}
}
