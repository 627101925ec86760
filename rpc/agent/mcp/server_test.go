package mcp

import (
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pillion-sidecar/pillion/test/needs"
)

func TestAModelStartsAServerReadsItsLogAndStopsIt(t *testing.T) {
	needs.Namespaces(t)
	needs.Program(t, "python3")
	needs.Program(t, "curl")
	h := connect(t, mcp.ClientOptions{}, true)
	got, r := h.exec(t, t.Context(), map[string]any{"command": "echo hello > page; echo up; exec python3 -u -m http.server 8124", "server": true})
	id, _ := got["execId"].(string)
	at, _ := got["listening"].(map[string]any)
	out, _ := got["output"].(string)
	if at["port"] != 8124.0 || at["address"] != "0.0.0.0" || at["process"] == "" || !strings.HasPrefix(out, "up\n") {
		t.Fatalf("%v", got)
	}
	if note := r.Content[1].(*mcp.TextContent).Text; !strings.Contains(note, `answer {"execId":"`+id+`","stop":true}`) {
		t.Errorf("%s", note)
	}
	got, _ = h.exec(t, t.Context(), map[string]any{"command": "curl -sS http://localhost:8124/page"})
	if got["output"] != "hello\n" {
		t.Errorf("another command: %v", got)
	}
	log, err := h.CallTool(t.Context(), &mcp.CallToolParams{Name: "read_output", Arguments: map[string]any{"execId": id, "offset": -2000}})
	if err != nil || !strings.Contains(log.Content[0].(*mcp.TextContent).Text, "GET /page") {
		t.Errorf("its log: %v, %v", log, err)
	}
	if _, r := h.answer(t, map[string]any{"execId": id, "text": "x"}); !r.IsError {
		t.Errorf("it took a text: %v", r.Content[0])
	}
	if got, _ = h.answer(t, map[string]any{"execId": id, "stop": true}); got["reason"] != "cancelled" {
		t.Errorf("stopped: %v", got)
	}
	got, _ = h.exec(t, t.Context(), map[string]any{"command": "curl -sS http://localhost:8124/page"})
	if got["exitCode"] == 0.0 {
		t.Errorf("after its end: %v", got)
	}
	got, _ = h.exec(t, t.Context(), map[string]any{"command": "echo broken; exit 3", "server": true})
	if out, _ := got["output"].(string); got["exitCode"] != 3.0 || !strings.HasPrefix(out, "broken\n") {
		t.Errorf("a server that does not start: %v", got)
	}
}

func TestAModelLetsNoPortOut(t *testing.T) {
	needs.Namespaces(t)
	needs.Program(t, "python3")
	const serve = "exec python3 -u -m http.server 8126"
	var asked []string
	for _, h := range []host{connect(t, askedForPorts(&asked, choiceNo), true), connect(t, mcp.ClientOptions{}, true)} {
		got, r := h.exec(t, t.Context(), map[string]any{"command": serve, "server": true, "forward": true})
		at, _ := got["listening"].(map[string]any)
		if note := r.Content[1].(*mcp.TextContent).Text; at["port"] != 8126.0 || at["url"] != nil || !strings.Contains(note, "nobody has let its port out") {
			t.Errorf("%v %s", got, note)
		}
	}
	if len(asked) != 1 {
		t.Errorf("%q", asked)
	}
	h := connect(t, askedForPorts(&asked, choiceOnce), true)
	if got, _ := h.exec(t, t.Context(), map[string]any{"command": serve, "server": true}); len(asked) != 1 {
		t.Errorf("it was not wanted: %q %v", asked, got)
	}
	if _, r := h.exec(t, t.Context(), map[string]any{"command": "true", "forward": true}); !r.IsError {
		t.Errorf("%v", r.Content)
	}
}
