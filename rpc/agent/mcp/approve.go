package mcp

import (
	"context"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pillion-sidecar/pillion/executor"
	"github.com/pillion-sidecar/pillion/rpc/display"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

// elicits reports that the host can show a form to a person. One that says nothing
// about kinds knows this one.
func elicits(host *mcp.ServerSession) bool {
	caps := host.InitializeParams().Capabilities
	return caps != nil && caps.Elicitation != nil && (caps.Elicitation.Form != nil || caps.Elicitation.URL == nil)
}

// approve puts a question of the server to the person. Only one of the decisions
// that were offered lets anything run; everything else that a host can answer, and
// no answer, is a decline.
func (s *session) approve(ctx context.Context, p protocol.ApprovalParams) protocol.ApprovalResult {
	s.mu.Lock()
	host := s.host
	s.mu.Unlock()
	answer, err := host.Elicit(ctx, &mcp.ElicitParams{Mode: "form", Message: question(p), RequestedSchema: form(p)})
	if err == nil && answer.Action == "accept" {
		switch decision, _ := answer.Content["decision"].(string); decision {
		case choiceOnce, choiceSession:
			return protocol.ApprovalResult{Decision: executor.Choice(decision)}
		}
	}
	return protocol.ApprovalResult{Decision: executor.Decline}
}

// The choices of the form. The first one is what a hurried person's Enter picks in
// some hosts.
const (
	choiceNo      = "decline"
	choiceOnce    = "accept"
	choiceSession = "acceptForSession"
)

// form asks for one of the decisions that the server offers. Nothing is chosen
// beforehand.
func form(p protocol.ApprovalParams) map[string]any {
	values, names := []string{choiceNo, choiceOnce}, []string{"Don't run it", "Run it once"}
	if p.Subject.Type == "host" {
		names = []string{"Don't connect", "Connect, for as long as this sandbox lives"}
	}
	if p.SessionRule != nil {
		values = append(values, choiceSession)
		names = append(names, map[bool]string{false: "Run it, and exactly this command again in this session", true: "Connect, in all sandboxes of this session"}[p.Subject.Type == "host"])
	}
	return map[string]any{
		"type":     "object",
		"required": []string{"decision"},
		"properties": map[string]any{
			"decision": map[string]any{"type": "string", "title": "Decision", "enum": values, "enumNames": names},
		},
	}
}

// question is what a person has to know. Each line of the command has a mark in
// front, so that a command with line ends can't write lines of the question.
func question(p protocol.ApprovalParams) string {
	const mark = "  | "
	var b strings.Builder
	if p.Subject.Type == "host" {
		fmt.Fprintf(&b, "%s\nA command wants to connect there. It runs, and the connection waits:\n\n", p.Title)
	} else {
		b.WriteString("The guard asks before this runs:\n\n")
	}
	lines, hidden := subject(p.Subject)
	for _, line := range lines {
		b.WriteString(mark + line + "\n")
	}
	if hidden > 0 {
		fmt.Fprintf(&b, "\n%d characters in the middle of it are not shown.\n", hidden)
	}
	fmt.Fprintf(&b, "\nin %s (%s)\n", line(p.Subject.Cwd), display.Confinement(p.Subject.Sandbox))
	if p.Subject.Stdin > 0 {
		fmt.Fprintf(&b, "with %d bytes of input that the guard has not read\n", p.Subject.Stdin)
	}
	if len(p.Subject.Env) > 0 {
		fmt.Fprintf(&b, "with the variables %s set\n", strings.Join(p.Subject.Env, ", "))
	}
	for _, f := range p.Findings {
		fmt.Fprintf(&b, "\nWhy: %s. %s\n", f.Message, f.Explanation)
		if f.Suggestion != nil {
			fmt.Fprintf(&b, "Instead: %s\n", line(display.Instead(f.Suggestion)))
		}
	}
	return b.String()
}

// line is a text on one line.
func line(text string) string {
	return plain(strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(text))
}

// subject is the exact command, a line of the question for each line of it.
func subject(a protocol.ApprovalSubject) (lines []string, hidden int) {
	const most = 8000 // characters
	text := a.Command
	switch {
	case len(a.Argv) > 0:
		for _, arg := range a.Argv {
			lines = append(lines, fmt.Sprintf("%q", arg))
		}
		text = strings.Join(lines, " ")
	case len(a.Commands) > 0:
		for i, c := range a.Commands {
			lines = append(lines, fmt.Sprintf("%d. %s", i+1, c))
		}
		text = strings.Join(lines, "\n")
	}
	if r := []rune(text); len(r) > most {
		hidden = len(r) - most
		text = string(r[:most/2]) + "\n…\n" + string(r[len(r)-most/2:])
	}
	return strings.Split(plain(text), "\n"), hidden
}
