package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/pillion-sidecar/pillion/cli/terminal"
	"github.com/pillion-sidecar/pillion/rpc/agent/reply"
	"github.com/pillion-sidecar/pillion/rpc/display"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

// modelFlags are for commands of coding agents, whose output a model reads. pillion
// hook writes them; a person may, too.
type modelFlags struct {
	agent, call string
	approved    []string
	chars       int
}

func (f *modelFlags) add(fl *pflag.FlagSet) {
	fl.StringVar(&f.agent, "agent", "", "who runs it; the output is then rendered for a model (pillion hook adds this)")
	fl.StringVar(&f.call, "call", "", "with --agent: the agent's ids of its session and of this call, for the audit log")
	fl.IntVar(&f.chars, "chars", 14_000, "with --agent: characters of output to show, 0 for all")
	fl.StringSliceVar(&f.approved, "approved", nil, "rules of the guard that you were asked about and allow this command")
}

// model is the reader of a command's output.
type model struct {
	agent, call string
	budget      reply.Budget
	keeper      *keeper
	writer      *reply.Writer
}

// apply makes c a command of an agent: both streams are one, as the agent's own tool
// has them, and it runs where the agent's shell is.
func (f *modelFlags) apply(c *Command) error {
	c.approved = f.approved
	if f.agent == "" {
		return nil
	}
	cwd, err := os.Getwd()
	if err != nil {
		return err
	}
	c.Params.Cwd, c.Params.Output.Merge = cwd, true
	if c.Params.Command != "" {
		c.Params.Shell = agentShell()
	}
	c.model = &model{agent: f.agent, call: callID(f.call), keeper: &keeper{}}
	if f.chars > 0 {
		c.model.budget = reply.Of(f.chars)
	}
	return nil
}

// agentShell is what agents write for, where it is installed; else it is any sh.
func agentShell() string {
	for _, path := range []string{"/bin/bash", "/usr/bin/bash"} {
		if _, err := os.Stat(path); err == nil {
			return "bash"
		}
	}
	return ""
}

// callID is an agent's id as one of ours. Its end is the call's.
func callID(id string) string {
	ok := func(r rune) rune {
		if r == '.' || r == '_' || r == '-' || r == ':' || '0' <= r && r <= '9' || 'a' <= r|0x20 && r|0x20 <= 'z' {
			return r
		}
		return '-'
	}
	return strings.Map(ok, id[max(0, len(id)-100):])
}

func (c Command) id() string {
	if c.model != nil && c.model.call != "" {
		return c.model.call
	}
	return execID
}

// greeting says who runs it. A program in between may end first: then so does the session.
func (c Command) greeting() protocol.InitializeParams {
	p := greeting(c.Version, c.Root)
	p.Capabilities.Exec.Approval = len(c.approved) > 0 || c.ask != nil
	p.Capabilities.Exec.Events, p.Capabilities.Exec.Grants = []string{"port", "violation"}, len(c.forward) > 0 || c.ask != nil
	if c.model != nil {
		p.ClientInfo.Name += " exec for " + c.model.agent
	}
	if pid := caller(); (c.model != nil || c.sh) && pid > 1 {
		p.ProcessID = &pid
	}
	return p
}

// approve asks the person at the terminal, or answers with what they have said before: yes
// to these rules, for this command. A finding of another rule is not covered by it.
func (c Command) approve(ctx context.Context, p protocol.ApprovalParams) protocol.ApprovalResult {
	if c.ask != nil {
		return c.ask.approve(ctx, p)
	}
	covered := p.Reason == "guard" && !slices.ContainsFunc(p.Findings, func(f protocol.Finding) bool {
		return f.Decision != "allow" && !slices.Contains(c.approved, f.RuleID)
	})
	if covered {
		return protocol.ApprovalResult{Decision: "accept"}
	}
	return protocol.ApprovalResult{Decision: "decline", Message: "this is not what the user was asked about"}
}

func (m *model) output(stdout io.Writer) io.Writer {
	m.writer = reply.NewWriter(stdout, m.budget, m.keeper.command)
	return io.MultiWriter(m.keeper, m.writer)
}

// close writes the end of the output. It may be called again.
func (m *model) close() error {
	if m.writer == nil {
		return nil
	}
	w := m.writer
	m.writer = nil
	err := w.Close()
	m.keeper.close(w.Cut())
	return err
}

// failed says why nothing was started.
func (m *model) failed(c Command, err error) int {
	f := explainCommand(err, display.Asked{}, terminal.Painter{})
	fmt.Fprintln(c.Stderr, refusalFor(err, f))
	return f.code
}

// finished says what the output doesn't: what was refused, and an end that is not the
// command's own. A command that went well needs no more words.
func (m *model) finished(c Command, r protocol.ExecResult) {
	for _, line := range reply.Notes(r) {
		fmt.Fprintln(c.Stderr, line)
	}
	if r.Reason != "exited" {
		fmt.Fprintln(c.Stderr, "pillion: "+display.Ending(r).Text)
	}
	if len(r.Background) > 0 {
		fmt.Fprintf(c.Stderr, "pillion: %d processes that it left behind were ended with it\n", len(r.Background))
	}
}

// refusalFor is a refusal for a model: what the guard found, or the server's sentence.
func refusalFor(err error, f failure) string {
	if v, ok := verdictOf(err); ok {
		return reply.Denied(v)
	}
	return "pillion: it was not run: " + f.lines[0]
}
