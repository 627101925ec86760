package convert

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/pillion-sidecar/pillion/config"
	"github.com/pillion-sidecar/pillion/executor"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
	"github.com/pillion-sidecar/pillion/sandbox"
	"github.com/pillion-sidecar/pillion/workspace"
)

// execIDs compiles when it is first needed: a regexp at init costs every start.
var execIDs = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9._:-]{1,128}$`) })

// Exec checks what decoding can't and turns params into the executor's form.
func Exec(p *protocol.ExecParams) (executor.Request, error) {
	if err := checkExec(p); err != nil {
		return executor.Request{}, err
	}
	cwd, err := directory(p.Cwd)
	if err != nil {
		return executor.Request{}, err
	}
	r := executor.Request{
		ID: p.ExecID, Command: p.Command, Argv: p.Argv, Commands: p.Commands, IgnoreErrors: p.IgnoreErrors, Shell: p.Shell, Description: p.Description, Cwd: cwd,
		Env: environment(p.Env), EnvInherit: string(p.EnvInherit), Stdin: stdinBytes(p.Stdin), StdinOpen: p.Stdin != nil && p.Stdin.Open,
		Timeout: Milliseconds(p.TimeoutMs.Value), KillGrace: Milliseconds(p.KillGraceMs),
		Sandbox: executor.SandboxRequest{
			Mode: p.Sandbox.Mode, Network: p.Sandbox.Network, Reads: p.Sandbox.Reads, Require: p.Sandbox.Require,
			Name: p.Sandbox.Name, Writable: p.Sandbox.Writable,
		},
		Output: executor.OutputRequest{
			SaveAs: p.Output.SaveAs,
			Stream: streams(p), Base64: p.Output.Encoding == protocol.EncodingBase64, Merge: p.Output.Merge,
			Flush: Milliseconds(p.Output.FlushMs), MaxChunkBytes: p.Output.MaxChunkBytes,
			StreamMaxBytes: p.Output.StreamMaxBytes, InlineMaxBytes: p.Output.InlineMaxBytes,
			InlineKeep: string(p.Output.InlineKeep), Summary: summary(p.Output.Summary),
			SpoolMaxBytes: p.Output.SpoolMaxBytes, SpoolTailBytes: p.Output.SpoolTailBytes, OnSpoolFull: string(p.Output.OnSpoolFull),
			Window: p.Output.Window,
		},
		OnBackground: string(p.OnBackground),
	}
	if p.Approval != nil {
		r.Approval = &executor.Retry{State: p.Approval.State, Choice: p.Approval.Decision}
	}
	if p.Pty != nil {
		r.Terminal = &executor.Terminal{Rows: p.Pty.Rows, Cols: p.Pty.Cols, Term: p.Pty.Term}
	}
	if p.TimeoutMs.Null {
		r.Timeout = -1
	}
	return r, nil
}

func summary(s protocol.SummaryParams) executor.Summary {
	return executor.Summary{Form: string(s.Form), MaxChars: s.MaxChars, Keep: string(s.Keep)}
}

// streams: a token asks for streaming unless the request says otherwise.
func streams(p *protocol.ExecParams) bool {
	if p.Output.Stream != nil {
		return *p.Output.Stream
	}
	return !p.PartialResultToken.IsZero()
}

func checkExec(p *protocol.ExecParams) error {
	if p.ExecID != "" && !execIDs().MatchString(p.ExecID) {
		return protocol.Invalid("/execId", "1 to 128 of A-Za-z0-9._:-", fmt.Sprintf("%.40q", p.ExecID))
	}
	if streams(p) && p.PartialResultToken.IsZero() {
		return protocol.Invalid("/output/stream", "a partialResultToken to stream on", "none")
	}
	if s := p.Stdin; s != nil {
		if err := textOrData("/stdin", s.Text, s.Data, s.Open, "open"); err != nil {
			return err
		}
	}
	if o := p.Output; o.SpoolTailBytes != 0 && o.OnSpoolFull != "" && o.OnSpoolFull != protocol.SpoolDropMiddle {
		return protocol.Invalid("/output/spoolTailBytes", `none: only "dropMiddle" keeps the newest bytes`, fmt.Sprint(o.SpoolTailBytes))
	}
	for name := range p.Env {
		if name == "" || strings.ContainsAny(name, "=\x00") {
			at := jsontext.Pointer("/env").AppendToken(name)
			return protocol.Invalid(string(at), "a name without = and NUL, not empty", fmt.Sprintf("%.40q", name))
		}
	}
	return checkWords(p)
}

func checkWords(p *protocol.ExecParams) error {
	return cmp.Or(
		word("/envInherit", p.EnvInherit, protocol.EnvCore, protocol.EnvNone, protocol.EnvAll),
		word("/onBackground", p.OnBackground, config.Kill, config.Leave),
		word("/sandbox/mode", p.Sandbox.Mode, sandbox.ReadOnly, sandbox.WorkspaceWrite, sandbox.Off),
		word("/sandbox/network", p.Sandbox.Network, sandbox.NetworkDeny, sandbox.NetworkAllow, sandbox.NetworkProxy),
		word("/sandbox/reads", p.Sandbox.Reads, sandbox.ReadsPrivate, sandbox.ReadsAll),
		word("/sandbox/require", p.Sandbox.Require, sandbox.RequireEnforced, sandbox.RequireBestEffort),
		word("/output/encoding", p.Output.Encoding, protocol.EncodingText, protocol.EncodingBase64),
		word("/output/onSpoolFull", p.Output.OnSpoolFull, protocol.SpoolDropMiddle, protocol.SpoolBlock, protocol.SpoolTerminate),
		word("/output/inlineKeep", p.Output.InlineKeep, protocol.KeepHeadTail, protocol.KeepHead, protocol.KeepTail),
		word("/output/summary/form", p.Output.Summary.Form,
			protocol.SummaryDenylist, protocol.SummaryLayered, protocol.SummaryPlain, protocol.SummaryNone),
		word("/output/summary/keep", p.Output.Summary.Keep, protocol.KeepHeadTail, protocol.KeepHead),
	)
}

// word is an error unless value is one of words, or absent.
func word[T ~string](path string, value T, words ...T) error {
	if value == "" {
		return nil
	}
	return Word(path, value, words...)
}

// Word is an error unless value is one of words.
func Word[T ~string](path string, value T, words ...T) error {
	if slices.Contains(words, value) {
		return nil
	}
	return protocol.Invalid(path, config.OneOf(string(value), words), fmt.Sprintf("%.40q", value))
}

// directory accepts a file: URI or a path; a relative path is the workspace's
// to resolve.
func directory(cwd string) (string, error) {
	if !strings.HasPrefix(strings.ToLower(cwd), "file:") && !strings.Contains(cwd, "://") {
		return cwd, nil
	}
	path, err := workspace.FromURI(cwd)
	if err != nil {
		return "", protocol.Invalid("/cwd", "a file: URI or a path", fmt.Sprintf("%.80q", cwd))
	}
	return path, nil
}

func environment(env map[string]protocol.Nullable[string]) map[string]*string {
	out := map[string]*string{}
	for name, v := range env {
		out[name] = &v.Value
		if v.Null {
			out[name] = nil
		}
	}
	return out
}

func stdinBytes(s *protocol.StdinParams) []byte {
	switch {
	case s == nil:
		return nil
	case s.Text != nil:
		return []byte(*s.Text)
	}
	return s.Data
}

// Milliseconds is a time of the protocol.
func Milliseconds(n int64) time.Duration { return time.Duration(n) * time.Millisecond }
