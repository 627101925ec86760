package mcp

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pillion-sidecar/pillion/executor"
	"github.com/pillion-sidecar/pillion/rpc/display"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

// elicits reports that the host can show a form to a person. A host that names no kinds
// knows this one.
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
	p.Always = nil     // is for editors
	p.Description = "" // the model's own words: not to be relied on
	question := display.Plain(display.Question(p))
	switch decision := decide(ctx, host, question, form(p)); decision {
	case choiceOnce, choiceSession:
		return protocol.ApprovalResult{Decision: executor.Choice(decision)}
	}
	return protocol.ApprovalResult{Decision: executor.Decline}
}

// decide is what the person has chosen of a form, "" for nothing.
func decide(ctx context.Context, host *mcp.ServerSession, question string, form map[string]any) string {
	answer, err := host.Elicit(ctx, &mcp.ElicitParams{Mode: "form", Message: question, RequestedSchema: form})
	if err != nil || answer.Action != "accept" {
		return ""
	}
	chosen, _ := answer.Content["decision"].(string)
	return chosen
}

// The choices of the form. The first one is what a hurried person's Enter picks in
// some hosts.
const (
	choiceNo      = "decline"
	choiceOnce    = "accept"
	choiceSession = "acceptForSession"
)

// form asks for one of the decisions that the server offers. Nothing is preselected.
func form(p protocol.ApprovalParams) map[string]any {
	values, names := []string{choiceNo, choiceOnce}, []string{"Don't run it", "Run it once", "Run it, and exactly this command again in this session"}
	switch p.Subject.Type {
	case protocol.SubjectHost:
		names = []string{"Don't connect", "Connect, for as long as this sandbox lives", "Connect, in all sandboxes of this session"}
	case protocol.SubjectAccess: // of a command that runs, to a key or a login
		names = []string{"Don't", "Yes, until this command ends", "Yes, for every command of this session"}
	}
	if p.SessionRule != nil {
		values = append(values, choiceSession)
	}
	return decisions(values, names[:len(values)])
}

func decisions(values, names []string) map[string]any {
	return map[string]any{
		"type":     "object",
		"required": []string{"decision"},
		"properties": map[string]any{
			"decision": map[string]any{"type": "string", "title": "Decision", "enum": values, "enumNames": names},
		},
	}
}
