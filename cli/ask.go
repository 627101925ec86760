package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/sourcegraph/conc"

	"github.com/pillion-sidecar/pillion/cli/terminal"
	"github.com/pillion-sidecar/pillion/executor"
	"github.com/pillion-sidecar/pillion/rpc/display"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
	"github.com/pillion-sidecar/pillion/workspace"
)

// asker puts the server's questions to the person at this terminal. Only what they type
// is an answer: a command has no way to this terminal's input.
type asker struct {
	mu    sync.Mutex // one question at a time
	in    *os.File
	file  string      // the user's policy, for what is remembered
	show  *shower     // it has the terminal
	said  bool        // a person has seen why, and said no
	kept  atomic.Bool // something is to be remembered
	taken bool        // the last question was taken back while it was read
}

// unread is what nobody answers a question in that has just come in another one's place.
const unread = time.Second

// newAsker is nil where nobody can be asked: in a pipeline, in CI, and in the background.
func newAsker(c Command, in *os.File, policyFile string) *asker {
	out, ok := c.Stderr.(*os.File)
	if !ok || !terminal.IsTerminal(out) || !terminal.IsTerminal(in) || os.Getenv("CI") != "" || !terminal.Foreground(in) {
		return nil
	}
	file, _ := workspace.Resolve(nil, policyFile, "/")
	return &asker{in: in, file: file}
}

// approve asks. Anything but a clear yes is a no.
func (a *asker) approve(ctx context.Context, p protocol.ApprovalParams) protocol.ApprovalResult {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.show.quiet(true)
	defer a.show.quiet(false)
	terminal.Drain(a.in) // what was typed before it stood there is no answer to it
	a.put(p)
	if a.taken { // the answer to the last one may be on its way
		select {
		case <-time.After(unread):
		case <-ctx.Done():
		}
		terminal.Drain(a.in)
	}
	answer := a.read(ctx)
	if a.taken = ctx.Err() != nil; a.taken {
		fmt.Fprintln(a.show.c.Stderr) // as an answer ends its line
	}
	switch answer {
	case "y", "yes":
		return protocol.ApprovalResult{Decision: executor.Accept}
	case "a", "always":
		if p.Always == nil {
			return protocol.ApprovalResult{Decision: executor.Decline, Message: "it can't be remembered"}
		}
		a.kept.Store(true)
		_ = a.show.say("remembered in %s; pillion grants takes it back", display.Spelled(a.file))
		return protocol.ApprovalResult{Decision: executor.AcceptAlways}
	}
	a.said = p.Reason == protocol.AskedByGuard
	return protocol.ApprovalResult{Decision: executor.Decline}
}

// message shows what the server says after such a yes: that it can't be remembered.
func (a *asker) message(raw []byte) {
	var m struct {
		Method string                     `json:"method"`
		Params protocol.ShowMessageParams `json:"params"`
	}
	if a != nil && a.kept.Load() && json.Unmarshal(raw, &m) == nil && m.Method == "window/showMessage" {
		a.show.note("%s", strings.TrimPrefix(display.Spelled(m.Params.Message), "pillion: "))
	}
}

// put shows a question with everything that it is about.
func (a *asker) put(p protocol.ApprovalParams) {
	choices := "[y]es, [N]o"
	switch {
	case p.Always != nil && p.Always.Scope == protocol.ScopeWorkspace:
		choices = "[y]es, [a]lways in this folder, [N]o"
	case p.Always != nil:
		choices = "[y]es, [a]lways, [N]o"
	}
	var b strings.Builder
	for _, line := range a.show.paint.Rows(p.Display) {
		if line != "" {
			b.WriteString("pillion: " + line + "\n")
		}
	}
	a.ask(b.String() + "pillion: " + choices + "? ")
}

func (a *asker) ask(question string) { _, _ = io.WriteString(a.show.c.Stderr, question) }

// again asks whether a command runs once more with what it was refused, which is shown
// above. A signal is a no: nothing runs that it could end.
func (a *asker) again(ctx context.Context, signals <-chan os.Signal) bool {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var beside conc.WaitGroup
	defer beside.Wait()
	answered := make(chan struct{})
	defer close(answered)
	beside.Go(func() {
		select {
		case <-signals:
			stop()
		case <-answered:
		}
	})
	terminal.Drain(a.in)
	a.ask("pillion: allow what was refused, this once, and run it again? [y]es, [N]o? ")
	line := a.read(ctx)
	return line == "y" || line == "yes"
}

// read is a line of the person, "" when the question is taken back.
func (a *asker) read(ctx context.Context) string {
	var line []byte
	buf := make([]byte, 256)
	for {
		n, err := terminal.ReadUntil(a.in, buf, ctx.Done())
		line = append(line, buf[:n]...)
		if err != nil || ctx.Err() != nil {
			return ""
		}
		if i := slices.Index(line, '\n'); i >= 0 {
			return strings.ToLower(strings.TrimSpace(string(line[:i])))
		}
		if len(line) > 1<<10 { // no answer to this question
			return ""
		}
	}
}
