package mcp

import (
	"context"
	"errors"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pillion-sidecar/pillion/rpc/display"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
	"github.com/pillion-sidecar/pillion/sandbox"
)

// CheckArguments are those of the tool check.
type CheckArguments struct {
	Command  string   `json:"command,omitzero" jsonschema:"shell text; give exactly one of command, argv and commands"`
	Argv     []string `json:"argv,omitempty" jsonschema:"a program and its arguments"`
	Commands []string `json:"commands,omitempty" jsonschema:"shell texts that would run one after the other"`
	Cwd      string   `json:"cwd,omitzero" jsonschema:"where it would run"`
	Mode     string   `json:"mode,omitzero" jsonschema:"as for exec"`
	Network  string   `json:"network,omitzero" jsonschema:"as for exec"`
}

// CheckReport is what the tool check returns besides text.
type CheckReport struct {
	Error     *Refusal            `json:"error,omitempty"`
	Decision  string              `json:"decision,omitempty" jsonschema:"allow, ask (a person would be asked) or deny"`
	Findings  []Finding           `json:"findings,omitempty"`
	WouldFail *protocol.WouldFail `json:"wouldFail,omitempty" jsonschema:"what would stop it whatever the guard says"`
}

// check serves the tool check.
func (s *session) check(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var a CheckArguments
	var p protocol.ExecParams
	var v protocol.CheckResult
	err := protocol.DecodeTool(req.Params.Arguments, &a)
	if err == nil {
		p = protocol.ExecParams{Command: a.Command, Argv: a.Argv, Commands: a.Commands, Cwd: a.Cwd, Sandbox: protocol.SandboxParams{Mode: sandbox.Mode(a.Mode), Network: sandbox.Network(a.Network)}}
		err = s.call(ctx, req, "guard/check", protocol.CheckParams{Checks: []protocol.ExecParams{p}}, &v)
	}
	if err == nil && len(v.Verdicts) != 1 {
		err = errors.New("the guard gave no verdict")
	}
	if err != nil {
		return refused(err, p, func(r *Refusal) any { return CheckReport{Error: r} }), nil
	}
	c := v.Verdicts[0]
	text := display.Plain(slices.Concat(
		[]protocol.DisplayLine{display.Headline(c.GuardVerdict)},
		display.Verdict(c.GuardVerdict, display.AskedBy(&p)),
		display.Sight(c.GuardVerdict, display.AskedBy(&p), nil),
	))
	if c.WouldFail != nil {
		text += "\n\npillion: it would fail all the same: " + plain(c.WouldFail.Message)
	}
	return &mcp.CallToolResult{
		StructuredContent: CheckReport{Decision: string(c.Decision), Findings: findings(c.Findings, p), WouldFail: c.WouldFail},
		Content:           []mcp.Content{&mcp.TextContent{Text: text}},
	}, nil
}

// call sends a request that is answered at once.
func (s *session) call(ctx context.Context, req *mcp.CallToolRequest, method string, params, result any) error {
	conn, err := s.server(ctx, req.Session)
	if err != nil {
		return err
	}
	return conn.Call(s.ctx, method, params, result)
}
