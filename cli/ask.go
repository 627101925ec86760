package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sourcegraph/conc"

	"github.com/pillion-sidecar/pillion/cli/terminal"
	"github.com/pillion-sidecar/pillion/config"
	"github.com/pillion-sidecar/pillion/guard"
	"github.com/pillion-sidecar/pillion/rpc/display"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
	"github.com/pillion-sidecar/pillion/sandbox"
	"github.com/pillion-sidecar/pillion/workspace"
)

// asker puts the server's questions to the person at this terminal. Only what they type
// is an answer: a command has no way to this terminal's input.
type asker struct {
	mu    sync.Mutex // one question at a time
	in    *os.File
	out   io.Writer
	paint terminal.Painter
	file  string // the user's policy, for what is remembered
	root  string
	show  *shower
	said  bool // a person has seen why, and said no
}

// newAsker is nil where nobody can be asked: in a pipeline, in CI, and in the background.
func newAsker(c Command, in *os.File, policyFile string) *asker {
	out, ok := c.Stderr.(*os.File)
	if !ok || !terminal.IsTerminal(out) || !terminal.IsTerminal(in) || os.Getenv("CI") != "" || !terminal.Foreground(in) {
		return nil
	}
	file, _ := workspace.Resolve(nil, policyFile, "/")
	return &asker{in: in, out: out, file: file, root: c.Root}
}

// approve asks. What is no clear yes is a no.
func (a *asker) approve(ctx context.Context, p protocol.ApprovalParams) protocol.ApprovalResult {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.show.quiet(true)
	defer a.show.quiet(false)
	always, why := a.keepable(p)
	terminal.Drain(a.in) // what was typed before it stood there is no answer to it
	a.put(p, always, why)
	switch a.read(ctx) {
	case "y", "yes":
	case "a", "always":
		if always == nil {
			return declined("it can't be remembered")
		}
		if err := config.Remember(a.file, *always); err != nil {
			fmt.Fprintf(a.out, "pillion: this once only, it can't be remembered: %s\n", display.Spelled(err.Error()))
			break
		}
		fmt.Fprintf(a.out, "pillion: remembered in %s; pillion grants takes it back\n", display.Spelled(a.file))
	default:
		a.said = p.Reason == "guard"
		return declined("")
	}
	return protocol.ApprovalResult{Decision: "accept"}
}

func declined(why string) protocol.ApprovalResult {
	return protocol.ApprovalResult{Decision: "decline", Message: why}
}

// put shows a question with everything that it is about.
func (a *asker) put(p protocol.ApprovalParams, always *config.GrantOptions, why string) {
	choices := "[y]es, [N]o"
	switch {
	case always != nil && always.Host != "":
		choices = "[y]es, [a]lways, [N]o"
	case always != nil:
		choices = "[y]es, [a]lways in this folder, [N]o"
	case why != "":
		choices += " (not always: " + why + ")"
	}
	var b strings.Builder
	for _, line := range a.paint.Rows(p.Display) {
		if line != "" {
			b.WriteString("pillion: " + line + "\n")
		}
	}
	fmt.Fprintf(a.out, "%spillion: %s? ", b.String(), choices)
}

// again asks whether a command runs once more with what it was refused, which stands above.
// A signal is a no: nothing runs that it could end.
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
	fmt.Fprint(a.out, "pillion: allow what was refused, this once, and run it again? [y]es, [N]o? ")
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

// keepable is the row that a policy would get, nil where nothing may be remembered, and
// why not. The server offers it for a session only where the text says all that the
// command does, and what it offers for a session is what is kept.
func (a *asker) keepable(p protocol.ApprovalParams) (g *config.GrantOptions, why string) {
	rule, s := p.SessionRule, p.Subject
	switch {
	case rule == nil:
		return nil, "its text doesn't say all that it does"
	case rule.Host != "":
		return &config.GrantOptions{Host: rule.Host, Given: today()}, ""
	case rule.Commands != nil || s.Shell != "":
		return nil, "it is no single command of the default shell"
	case guard.Redact(rule.Command) != rule.Command || !slices.Equal(guard.RedactArgv(rule.Argv), rule.Argv):
		return nil, "there is a secret in it"
	}
	return &config.GrantOptions{
		Command: rule.Command, Argv: rule.Argv, Rules: rule.RuleIDs, Folder: a.root, Given: today(),
		Mode: sandbox.Mode(s.Sandbox.Mode), Network: sandbox.Network(s.Network),
	}, ""
}

func today() string { return time.Now().Format(time.DateOnly) }
