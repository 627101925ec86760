package mcp

import (
	"errors"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pillion-sidecar/pillion/rpc/agent/reply"
	"github.com/pillion-sidecar/pillion/rpc/display"
	"github.com/pillion-sidecar/pillion/rpc/jsonrpc"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

// Refusal is why nothing was done.
type Refusal struct {
	Code      int       `json:"code"`
	Kind      string    `json:"kind" jsonschema:"guardDenied, approvalRequired, approvalDeclined, pathOutsideWorkspace, invalidParams, …"`
	Message   string    `json:"message"`
	Retryable bool      `json:"retryable,omitempty" jsonschema:"the same call may succeed later"`
	Findings  []Finding `json:"findings,omitempty" jsonschema:"what the guard found"`
	display   []protocol.DisplayLine
}

// Error makes a refusal of the adapter's own an error.
func (r Refusal) Error() string { return r.Message }

// Finding is one rule that matched, with what a model can do with it.
type Finding struct {
	Rule     string `json:"rule"`
	Decision string `json:"decision"`
	Message  string `json:"message" jsonschema:"what the command does"`
	Why      string `json:"why,omitempty"`
	Place    string `json:"place,omitempty" jsonschema:"the part of the command that it is about"`
	Instead  string `json:"instead,omitempty"`
}

// findings are those of a verdict on what p asks for.
func findings(list []protocol.Finding, p protocol.ExecParams) (out []Finding) {
	for _, f := range list {
		g := Finding{Rule: f.RuleID, Decision: string(f.Decision), Message: f.Message, Why: f.Explanation}
		if text := source(f.Source, p); 0 <= f.Span.Start && f.Span.Start <= f.Span.End && f.Span.End <= len(text) {
			g.Place = text[f.Span.Start:f.Span.End]
		}
		if i := f.Suggestion; i != nil {
			g.Instead = display.Instead(i)
		}
		out = append(out, g)
	}
	return out
}

// source is the text that a span counts in. The value of a variable is not shown:
// that is where tokens live.
func source(s protocol.Source, p protocol.ExecParams) string {
	list := map[protocol.SourceField][]string{protocol.FieldArgv: p.Argv, protocol.FieldCommands: p.Commands}[s.Field]
	switch {
	case s.Field == protocol.FieldCommand:
		return p.Command
	case s.Index != nil && *s.Index >= 0 && *s.Index < len(list):
		return list[*s.Index]
	}
	return ""
}

// notRun is refused, of a command.
func notRun(err error, p protocol.ExecParams) *mcp.CallToolResult {
	return refused(err, p, func(r *Refusal) any { return ExecReport{Error: r} })
}

// refused is the result of a tool that did nothing. It is a result and no error of
// the protocol, so that the model reads it and does something else.
func refused(err error, p protocol.ExecParams, report func(*Refusal) any) *mcp.CallToolResult {
	r := refusalOf(err, p)
	text := r.Message
	if len(r.display) > 0 {
		text = display.Plain(r.display)
	}
	switch r.Kind {
	case "approvalRequired":
		text += "\n\nA person has to approve this, and this host can't ask one (it has no elicitation). It was not run; do it in another way, or ask the user to run it."
	case "approvalDeclined":
		text += "\n\nThe person was asked and did not approve it. It was not run; don't try to get the same done in another form."
	}
	return &mcp.CallToolResult{
		IsError: true, StructuredContent: report(&r), Content: []mcp.Content{&mcp.TextContent{Text: text}},
	}
}

func refusalOf(err error, p protocol.ExecParams) Refusal {
	var r Refusal
	if errors.As(err, &r) {
		return r
	}
	r = Refusal{Code: int(protocol.CodeInternal), Kind: "internalError", Message: plain(err.Error())}
	var wire *jsonrpc.Error
	var bad *protocol.InvalidParamsData
	if errors.As(err, &bad) {
		return Refusal{Code: int(protocol.CodeInvalidParams), Kind: "invalidParams", Message: plain(bad.Error())}
	}
	if !errors.As(err, &wire) {
		return r
	}
	r.Code, r.Message = int(wire.Code), plain(argument(wire.Message))
	var data struct {
		Kind      string                 `json:"kind"`
		Retryable bool                   `json:"retryable"`
		Verdict   protocol.GuardVerdict  `json:"verdict"`
		Display   []protocol.DisplayLine `json:"display"`
	}
	if len(wire.Data) > 0 && json.Unmarshal(wire.Data, &data) == nil {
		r.Kind, r.Retryable, r.display = data.Kind, data.Retryable, data.Display
		r.Findings = findings(data.Verdict.Findings, p)
	}
	return r
}

// plain is a text for a model and for the person who reads along.
func plain(text string) string { return reply.Plain(text) }

// argument names an argument of the tool where the server names a member of its request.
func argument(message string) string {
	for _, within := range []string{"/checks/0/", "/sandbox/"} {
		if rest, ok := strings.CutPrefix(message, within); ok {
			return "/" + rest
		}
	}
	return message
}
