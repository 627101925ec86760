package rpc

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pillion-sidecar/pillion/executor"
	"github.com/pillion-sidecar/pillion/sandbox"
	"github.com/pillion-sidecar/pillion/workspace"
)

// execIDs compiles when it is first needed: a regexp at init costs every start.
var execIDs = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9._:-]{1,128}$`) })

// request checks what decoding can't and turns params into the executor's form.
func (p *ExecParams) request() (executor.Request, error) {
	if err := p.check(); err != nil {
		return executor.Request{}, err
	}
	cwd, err := directory(p.Cwd)
	if err != nil {
		return executor.Request{}, err
	}
	r := executor.Request{
		ID: p.ExecID, Command: p.Command, Argv: p.Argv, Commands: p.Commands, IgnoreErrors: p.IgnoreErrors, Shell: p.Shell, Description: p.Description, Cwd: cwd,
		Env: environment(p.Env), EnvInherit: p.EnvInherit, Stdin: p.Stdin.bytes(), StdinOpen: p.Stdin != nil && p.Stdin.Open,
		Timeout: milliseconds(p.TimeoutMs.Value), KillGrace: milliseconds(p.KillGraceMs),
		Sandbox: executor.SandboxRequest{
			Mode: sandbox.Mode(p.Sandbox.Mode), Network: sandbox.Network(p.Sandbox.Network),
			Reads: sandbox.Reads(p.Sandbox.Reads), Require: sandbox.Require(p.Sandbox.Require),
			Name: p.Sandbox.Name, Writable: p.Sandbox.Writable,
		},
		Output: executor.OutputRequest{
			SaveAs: p.Output.SaveAs,
			Stream: p.streams(), Base64: p.Output.Encoding == "base64", Merge: p.Output.Merge,
			Flush: milliseconds(p.Output.FlushMs), MaxChunkBytes: p.Output.MaxChunkBytes,
			StreamMaxBytes: p.Output.StreamMaxBytes, InlineMaxBytes: p.Output.InlineMaxBytes,
			InlineKeep: p.Output.InlineKeep, Summary: executor.Summary(p.Output.Summary),
			SpoolMaxBytes: p.Output.SpoolMaxBytes, SpoolTailBytes: p.Output.SpoolTailBytes, OnSpoolFull: p.Output.OnSpoolFull,
			Window: p.Output.Window,
		},
		OnBackground: p.OnBackground,
	}
	if p.Approval != nil {
		r.Approval = &executor.Retry{State: p.Approval.State, Choice: executor.Choice(p.Approval.Decision)}
	}
	if p.Pty != nil {
		r.Terminal = &executor.Terminal{Rows: p.Pty.Rows, Cols: p.Pty.Cols, Term: p.Pty.Term}
	}
	if p.TimeoutMs.Null {
		r.Timeout = -1
	}
	return r, nil
}

// streams: a token asks for streaming unless the request says otherwise.
func (p *ExecParams) streams() bool {
	if p.Output.Stream != nil {
		return *p.Output.Stream
	}
	return !p.PartialResultToken.IsZero()
}

func (p *ExecParams) check() error {
	if p.ExecID != "" && !execIDs().MatchString(p.ExecID) {
		return invalidParams("/execId", "1 to 128 of A-Za-z0-9._:-", fmt.Sprintf("%.40q", p.ExecID))
	}
	if p.streams() && p.PartialResultToken.IsZero() {
		return invalidParams("/output/stream", "a partialResultToken to stream on", "none")
	}
	if s := p.Stdin; s != nil && (s.Text != nil && s.Data != nil || s.Text == nil && s.Data == nil && !s.Open) {
		return invalidParams("/stdin", "exactly one of text and data, or open", "both or none")
	}
	if o := p.Output; o.SpoolTailBytes != 0 && o.OnSpoolFull != "" && o.OnSpoolFull != executor.DropMiddle {
		return invalidParams("/output/spoolTailBytes", `none: only "dropMiddle" keeps the newest bytes`, fmt.Sprint(o.SpoolTailBytes))
	}
	for name := range p.Env {
		if name == "" || strings.ContainsAny(name, "=\x00") {
			return invalidParams("/env", "names without = and NUL, not empty", fmt.Sprintf("%.40q", name))
		}
	}
	if err := p.checkNumbers(); err != nil {
		return err
	}
	return p.checkWords()
}

// checkNumbers: a zero would silently mean the default.
func (p *ExecParams) checkNumbers() error {
	const most = int64(1) << 53 / int64(time.Millisecond) // fits a Duration with room
	for _, n := range []struct {
		path  string
		value int64
		zero  bool // allowed: absent
	}{
		{"/timeoutMs", p.TimeoutMs.Value, !p.TimeoutMs.Set || p.TimeoutMs.Null},
		{"/killGraceMs", p.KillGraceMs, true},
		{"/output/flushMs", p.Output.FlushMs, true},
		{"/output/maxChunkBytes", int64(p.Output.MaxChunkBytes), true},
		{"/output/streamMaxBytes", p.Output.StreamMaxBytes, true},
		{"/output/inlineMaxBytes", int64(p.Output.InlineMaxBytes), true},
		{"/output/spoolMaxBytes", p.Output.SpoolMaxBytes, true},
		{"/output/spoolTailBytes", p.Output.SpoolTailBytes, true},
		{"/output/window", p.Output.Window, true},
		{"/output/summary/maxChars", int64(p.Output.Summary.MaxChars), true},
	} {
		if n.value < 0 || n.value > most || (n.value == 0 && !n.zero) {
			return invalidParams(n.path, fmt.Sprintf("1 to %d", most), fmt.Sprint(n.value))
		}
	}
	return nil
}

func (p *ExecParams) checkWords() error {
	for _, w := range []struct {
		path, value string
		words       []string
	}{
		{"/envInherit", p.EnvInherit, []string{"core", "none", "all"}},
		{"/onBackground", p.OnBackground, []string{executor.Kill, executor.Leave}},
		{"/sandbox/mode", p.Sandbox.Mode, []string{"read-only", "workspace-write", "off"}},
		{"/sandbox/network", p.Sandbox.Network, []string{"deny", "allow", "proxy"}},
		{"/sandbox/reads", p.Sandbox.Reads, []string{"private", "all"}},
		{"/sandbox/require", p.Sandbox.Require, []string{"enforced", "bestEffort"}},
		{"/output/encoding", p.Output.Encoding, []string{"utf-8", "base64"}},
		{"/output/onSpoolFull", p.Output.OnSpoolFull, []string{executor.DropMiddle, executor.Block, executor.Terminate}},
		{"/output/inlineKeep", p.Output.InlineKeep, []string{"headTail", "head", "tail"}},
		{"/output/summary/form", p.Output.Summary.Form, []string{executor.SummaryDenylist, executor.SummaryLayered, executor.SummaryPlain, executor.SummaryNone}},
		{"/output/summary/keep", p.Output.Summary.Keep, []string{"headTail", "head"}},
	} {
		if w.value != "" && !slices.Contains(w.words, w.value) {
			return invalidParams(w.path, "one of "+strings.Join(w.words, ", "), fmt.Sprintf("%.40q", w.value))
		}
	}
	return nil
}

// directory accepts a file: URI or a path; a relative path is the workspace's
// to resolve.
func directory(cwd string) (string, error) {
	if !strings.HasPrefix(strings.ToLower(cwd), "file:") && !strings.Contains(cwd, "://") {
		return cwd, nil
	}
	path, err := workspace.FromURI(cwd)
	if err != nil {
		return "", invalidParams("/cwd", "a file: URI or a path", fmt.Sprintf("%.80q", cwd))
	}
	return path, nil
}

func environment(env map[string]Nullable[string]) map[string]*string {
	out := map[string]*string{}
	for name, v := range env {
		out[name] = &v.Value
		if v.Null {
			out[name] = nil
		}
	}
	return out
}

func (s *StdinParams) bytes() []byte {
	switch {
	case s == nil:
		return nil
	case s.Text != nil:
		return []byte(*s.Text)
	}
	return s.Data
}

func milliseconds(n int64) time.Duration { return time.Duration(n) * time.Millisecond }
