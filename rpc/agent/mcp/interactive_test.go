package mcp

import (
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pillion-sidecar/pillion/executor"
)

func (h host) answer(t *testing.T, args map[string]any) (map[string]any, *mcp.CallToolResult) {
	t.Helper()
	r, err := h.CallTool(t.Context(), &mcp.CallToolParams{Name: "answer", Arguments: args})
	if err != nil {
		t.Fatal(err)
	}
	return r.StructuredContent.(map[string]any), r
}

func asks(t *testing.T, got map[string]any, r *mcp.CallToolResult, kind, prompt string) string {
	t.Helper()
	waits, _ := got["waiting"].(map[string]any)
	if said, _ := waits["prompt"].(string); waits["kind"] != kind || said != prompt {
		t.Fatalf("%v", got)
	}
	note := r.Content[1].(*mcp.TextContent).Text
	if !strings.Contains(note, strings.TrimRight(prompt, " ")+`; answer it with answer {"execId":"`) {
		t.Errorf("%s", note)
	}
	return got["execId"].(string)
}

func TestAModelAnswersACommand(t *testing.T) {
	if !executor.TellsWaiting {
		t.Skip("the kernel does not tell")
	}
	h := connect(t, mcp.ClientOptions{}, true)
	got, r := h.exec(t, t.Context(), map[string]any{"command": "printf 'Name? '; read -r x; stty -echo; printf 'Password: '; read -r y; echo; echo \"$x $y\"", "interactive": true})
	id := asks(t, got, r, "line", "Name? ")
	got, r = h.answer(t, map[string]any{"execId": id, "text": "me"})
	asks(t, got, r, "hidden", "Password: ")
	got, _ = h.answer(t, map[string]any{"execId": id, "text": "secret"})
	if out, _ := got["output"].(string); got["exitCode"] != 0.0 || !strings.HasSuffix(out, "me secret\n") {
		t.Errorf("%v", got)
	}
	if _, r := h.answer(t, map[string]any{"execId": id, "text": "more"}); !r.IsError {
		t.Errorf("answered what has ended: %v", r.Content[0])
	}

	got, r = h.exec(t, t.Context(), map[string]any{"command": "cat; echo over", "interactive": true})
	id = asks(t, got, r, "line", "")
	if got, _ = h.answer(t, map[string]any{"execId": id, "close": true}); got["exitCode"] != 0.0 {
		t.Errorf("%v", got)
	}
	got, r = h.exec(t, t.Context(), map[string]any{"command": "cat; echo over", "interactive": true})
	id = asks(t, got, r, "line", "")
	if got, _ = h.answer(t, map[string]any{"execId": id, "stop": true}); got["reason"] != "cancelled" {
		t.Errorf("%v", got)
	}
	if got, _ = h.exec(t, t.Context(), map[string]any{"command": "echo done", "interactive": true}); got["output"] != "done\n" {
		t.Errorf("%v", got)
	}
}
