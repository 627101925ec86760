package mcp

import (
	"context"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pillion-sidecar/pillion/executor"
	"github.com/pillion-sidecar/pillion/rpc/agent/reply"
	"github.com/pillion-sidecar/pillion/rpc/display"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
	"github.com/pillion-sidecar/pillion/sandbox"
)

// ExecArguments are those of the tool exec. No argument could approve a command, and one
// that could loosen its sandbox needs the user's grant like any request.
type ExecArguments struct {
	Command      string            `json:"command,omitzero" jsonschema:"shell text, as for sh -c; give exactly one of command, argv and commands"`
	Argv         []string          `json:"argv,omitempty" jsonschema:"a program and its arguments, run without a shell"`
	Commands     []string          `json:"commands,omitempty" jsonschema:"shell texts that run one after the other, each in a shell of its own, until one fails"`
	IgnoreErrors bool              `json:"ignoreErrors,omitzero" jsonschema:"with commands: run all of them, whatever fails"`
	Cwd          string            `json:"cwd,omitzero" jsonschema:"where to run: a path in the workspace, absolute or relative to its first folder; that folder if absent"`
	Env          map[string]string `json:"env,omitempty" jsonschema:"variables to add"`
	Stdin        string            `json:"stdin,omitzero" jsonschema:"what the command reads from its standard input; nothing if absent"`
	Interactive  bool              `json:"interactive,omitzero" jsonschema:"give it a terminal, and return also when it waits for input: the tool answer goes on from there"`
	Server       bool              `json:"server,omitzero" jsonschema:"it is a server: return as soon as it listens on a port, and let it run; commands with the same mode and network reach it on localhost, read_output has its log, and answer with stop ends it"`
	Forward      bool              `json:"forward,omitzero" jsonschema:"with server: ask the user to let its port out, to their browser; listening.url has the address"`
	TimeoutMs    int64             `json:"timeoutMs,omitzero" jsonschema:"milliseconds after which it is stopped; 120000 if absent, 1800000 with interactive, 43200000 with server"`
	Mode         string            `json:"mode,omitzero" jsonschema:"what it may write: read-only or workspace-write; the user's policy if absent"`
	Network      string            `json:"network,omitzero" jsonschema:"what it may reach: deny, proxy (the hosts that the user's policy lists) or allow (needs the user's grant); the user's policy if absent"`
	Description  string            `json:"description,omitzero" jsonschema:"what this is for, in a few words; for lists of commands"`
	MaxChars     int               `json:"maxChars,omitzero" jsonschema:"how much output to return, 20000 characters if absent, 100000 at most; of more the middle is left out, and read_output has all of it"`
}

const (
	defaultChars = 20_000
	mostChars    = 100_000
	readChars    = 2 << 20 // of an output that is rendered; of a longer one the middle is not looked at
)

// params is the request of the protocol. Standard output and error are one stream:
// that is the only way to keep their order.
func (a ExecArguments) params() protocol.ExecParams {
	p := protocol.ExecParams{
		Command: a.Command, Argv: a.Argv, Commands: a.Commands, IgnoreErrors: a.IgnoreErrors, Cwd: a.Cwd, Description: a.Description,
		Sandbox: protocol.SandboxParams{Mode: sandbox.Mode(a.Mode), Network: sandbox.Network(a.Network)},
	}
	if a.Env != nil {
		p.Env = map[string]protocol.Nullable[string]{}
		for name, value := range a.Env {
			p.Env[name] = protocol.Nullable[string]{Set: true, Value: value}
		}
	}
	if a.Stdin != "" {
		p.Stdin = &protocol.StdinParams{Text: &a.Stdin}
	}
	if a.TimeoutMs != 0 {
		p.TimeoutMs = protocol.Nullable[int64]{Set: true, Value: a.TimeoutMs}
	}
	p.Output = protocol.OutputParams{Merge: true, InlineMaxBytes: 1, Summary: protocol.SummaryParams{Form: "plain", MaxChars: readChars, Keep: "headTail"}}
	return p
}

// chars is how much output the model wants to read.
func (a ExecArguments) chars() int {
	if a.MaxChars == 0 {
		return defaultChars
	}
	return min(a.MaxChars, mostChars)
}

// exec serves the tool exec.
func (s *session) exec(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var a ExecArguments
	var p protocol.ExecParams
	var r protocol.ExecResult
	err := protocol.DecodeTool(req.Params.Arguments, &a)
	if err == nil {
		p = a.params()
		if a.Interactive || a.Server || a.Forward {
			return s.begins(ctx, a, req), nil
		}
		p.ExecID = s.name("run-")
		r, err = s.run(ctx, p, req)
		s.changed(r)
	}
	if err != nil {
		return notRun(err, p), nil
	}
	return finished(r, a.chars()), nil
}

// ExecReport is what the tool exec returns besides text.
type ExecReport struct {
	Started    bool                 `json:"started" jsonschema:"false: nothing was run, and error says why"`
	Error      *Refusal             `json:"error,omitempty"`
	ExecID     string               `json:"execId,omitempty" jsonschema:"names the output for read_output"`
	Waiting    *Waiting             `json:"waiting,omitempty" jsonschema:"it runs, and waits for input: see the tool answer"`
	Listening  *Listening           `json:"listening,omitempty" jsonschema:"it is a server, and runs on"`
	ExitCode   *int                 `json:"exitCode,omitempty" jsonschema:"absent when a signal ended it"`
	Signal     *string              `json:"signal,omitempty"`
	Reason     string               `json:"reason,omitempty" jsonschema:"exited, cancelled, timedOut, outputLimit, memoryLimit and other limits"`
	DurationMs int64                `json:"durationMs,omitempty"`
	Output     string               `json:"output,omitempty" jsonschema:"standard output and error in the order in which they were written"`
	TotalBytes int64                `json:"totalBytes,omitempty" jsonschema:"of all that was written"`
	Truncated  bool                 `json:"truncated,omitempty" jsonschema:"output lacks a part, which read_output has"`
	Sandbox    string               `json:"sandbox,omitempty" jsonschema:"what was in force"`
	Refused    []protocol.Violation `json:"refused,omitempty" jsonschema:"what the sandbox refused to the command"`
	Approval   string               `json:"approval,omitempty" jsonschema:"what the person decided who was asked"`
	Changed    string               `json:"changed,omitempty" jsonschema:"how many files of the workspace it changed, which the tool undo takes back"`
	Background []string             `json:"background,omitempty" jsonschema:"processes that it left behind, which were ended with it"`
	Steps      []protocol.ExecStep  `json:"steps,omitempty" jsonschema:"of commands: how each ended"`
}

// finished is the result of a command that ran. However it ended, the tool did what it was
// asked: a failing test is not a failing tool.
func finished(r protocol.ExecResult, chars int) *mcp.CallToolResult {
	var text strings.Builder
	w := reply.NewWriter(&text, reply.Of(chars), func(from, _ int64) string {
		return fmt.Sprintf(`read_output {"execId":"%s","offset":%d}`, r.ExecID, from)
	})
	_, _ = w.Write([]byte(r.Summary)) // a Builder takes everything
	_ = w.Close()
	output := text.String()
	if !strings.HasSuffix(r.Summary, "\n") { // as the command has ended it
		output = strings.TrimSuffix(output, "\n")
	}
	rep := ExecReport{
		Started: true, ExecID: r.ExecID, ExitCode: r.ExitCode, Signal: r.Signal, Reason: string(r.Reason), DurationMs: r.DurationMs, Output: output,
		Sandbox: r.Sandbox.Text, Refused: r.Violations, Steps: r.Steps,
	}
	for _, o := range r.Output {
		rep.TotalBytes += o.TotalBytes
	}
	rep.Truncated = w.Cut() || rep.TotalBytes > readChars
	if r.Effects != nil {
		rep.Changed = r.Effects.Text
	}
	if r.Approval != nil {
		rep.Approval = string(r.Approval.Decision)
	}
	for _, b := range r.Background {
		rep.Background = append(rep.Background, plain(b.Name))
	}
	out := &mcp.CallToolResult{StructuredContent: rep, Content: []mcp.Content{&mcp.TextContent{Text: rep.Output}}}
	if notes := rep.notes(r); notes != "" {
		out.Content = append(out.Content, &mcp.TextContent{Text: notes})
	}
	return out
}

// notes are what a model should know besides the output: what a person reads below it,
// unless all went as it should. They are a text of their own, so that no command can
// write them.
func (rep ExecReport) notes(r protocol.ExecResult) string {
	list := display.Result(r, reply.WhoAllows)
	held := display.Held(r.Sandbox) != protocol.ToneWarn
	if len(list) == 1 && !rep.Truncated && r.Reason == executor.Exited && held {
		return ""
	}
	var lines []string
	if rep.Truncated {
		lines = append(lines, fmt.Sprintf(`pillion: all %d bytes of the output can be read with read_output {"execId":"%s","offset":0}`, rep.TotalBytes, r.ExecID))
	}
	for _, l := range list {
		text := "pillion: " + l.Text
		if l.Action == protocol.ActionUndo {
			text += fmt.Sprintf(`; undo {"execId":"%s"} takes it back`, r.ExecID)
		}
		lines = append(lines, text)
	}
	return strings.Join(lines, "\n")
}
