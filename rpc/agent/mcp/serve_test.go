package mcp

import (
	"bufio"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pillion-sidecar/pillion/executor"
	"github.com/pillion-sidecar/pillion/rpc"
)

func (h host) exec(t *testing.T, ctx context.Context, args map[string]any) (map[string]any, *mcp.CallToolResult) {
	t.Helper()
	r, err := h.CallTool(ctx, &mcp.CallToolParams{Name: "exec", Arguments: args})
	if err != nil {
		t.Fatal(err)
	}
	return r.StructuredContent.(map[string]any), r
}

// The SDK's own client begins with a version in which nobody could be asked.
func TestTheOfficialClientOfTheSameLibraryRunsCommands(t *testing.T) {
	for _, roots := range []bool{true, false} {
		h := connect(t, mcp.ClientOptions{}, roots)
		if v := h.InitializeResult().ProtocolVersion; v != "2025-11-25" {
			t.Errorf("version %s", v)
		}
		got, _ := h.exec(t, t.Context(), map[string]any{"command": "pwd"})
		if got["output"] != h.folder+"\n" || got["exitCode"] != 0.0 {
			t.Errorf("%v", got)
		}
	}
}

func TestAnElicitationApproves(t *testing.T) {
	for answer, want := range map[string]bool{"accept": true, "decline": false, "something": false} {
		h := connect(t, mcp.ClientOptions{
			ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"decision": answer}}, nil
			},
		}, true)
		got, _ := h.exec(t, t.Context(), map[string]any{"command": "touch ran; git push --force origin main"})
		_, err := os.Stat(filepath.Join(h.folder, "ran"))
		if ran := err == nil; ran != want || got["started"] != want {
			t.Errorf("%s: %v, %v", answer, ran, got)
		}
	}
}

func TestACancelEndsTheCommand(t *testing.T) {
	started := make(chan struct{}, 8)
	h := connect(t, mcp.ClientOptions{
		ProgressNotificationHandler: func(context.Context, *mcp.ProgressNotificationClientRequest) { started <- struct{}{} },
	}, true)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-started; cancel() }()
	params := &mcp.CallToolParams{Name: "exec", Arguments: map[string]any{"command": "echo x; sleep 60; touch survived"}}
	params.SetProgressToken("p")
	if _, err := h.CallTool(ctx, params); err == nil {
		t.Fatal("it was not cancelled")
	}
	begin := time.Now()
	if _, r := h.exec(t, t.Context(), map[string]any{"command": "true"}); r.IsError || time.Since(begin) > 20*time.Second {
		t.Errorf("%v after %v", r, time.Since(begin))
	}
}

// A model takes back what it did, and nothing that others have done since.
func TestUndoIsForTheSessionsOwnCommands(t *testing.T) {
	if !rpc.UndoSupported {
		t.Skip("nothing is kept here")
	}
	h := connect(t, mcp.ClientOptions{}, true)
	file := filepath.Join(h.folder, "notes")
	undo := func(args map[string]any) (string, bool) {
		r, err := h.CallTool(t.Context(), &mcp.CallToolParams{Name: "undo", Arguments: args})
		if err != nil {
			t.Fatal(err)
		}
		return r.Content[0].(*mcp.TextContent).Text, r.IsError
	}
	if text, failed := undo(map[string]any{}); !failed || !strings.Contains(text, "no command of this session") {
		t.Errorf("before any command: %s", text)
	}
	if err := os.WriteFile(file, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	got, r := h.exec(t, t.Context(), map[string]any{"command": "rm notes; echo x >made"})
	if note := r.Content[1].(*mcp.TextContent).Text; got["changed"] != "1 deleted, 1 new" || !strings.Contains(note, "takes it back\n") {
		t.Errorf("%v, %s", got, note)
	}
	if text, failed := undo(map[string]any{}); failed || text != "pillion: restored 1 file, removed 1 that it had made" {
		t.Error(text)
	}
	if is, err := os.ReadFile(file); string(is) != "mine" {
		t.Error(string(is), err)
	}
	if text, failed := undo(map[string]any{}); !failed {
		t.Errorf("twice: %s", text)
	}
	got, _ = h.exec(t, t.Context(), map[string]any{"command": "echo theirs >notes"})
	for answered := time.Now(); ; { // the clock of files goes by ticks
		if err := os.WriteFile(file, []byte("mine again"), 0o600); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(file); err != nil || info.ModTime().After(answered) {
			break
		}
	}
	text, _ := undo(map[string]any{"execId": got["execId"], "paths": []string{file}})
	if is, err := os.ReadFile(file); string(is) != "mine again" || !strings.Contains(text, "left alone") {
		t.Error(string(is), err, text)
	}
	if text, failed := undo(map[string]any{"execId": "another"}); !failed {
		t.Error(text)
	}
}

func tools() []string {
	list := []string{"check", "exec", "read_output"}
	if executor.TellsWaiting {
		list = append(list, "answer")
	}
	if rpc.UndoSupported {
		list = append(list, "undo")
	}
	return list
}

// Nobody should have to trust a description to know what a tool could do.
func TestSchemasNameEveryArgumentAndSayWhatItIs(t *testing.T) {
	h := connect(t, mcp.ClientOptions{}, true)
	list, err := h.ListTools(t.Context(), nil)
	if err != nil || len(list.Tools) != len(tools()) {
		t.Fatalf("%v, %v", list, err)
	}
	for _, tool := range list.Tools {
		for name, p := range tool.InputSchema.(map[string]any)["properties"].(map[string]any) {
			p := p.(map[string]any)
			if text, _ := p["description"].(string); len(text) < 5 {
				t.Errorf("%s.%s is not described", tool.Name, name)
			}
			if _, one := p["type"].(string); !one {
				t.Errorf("%s.%s may be null, which is refused", tool.Name, name)
			}
		}
		if strings.Contains(tool.Description, "  ") {
			t.Errorf("%q", tool.Description)
		}
	}
}

// The SDK's own client closes what it reads first, and may be asked for its roots
// in between.
func TestAHostThatStopsReadingBeforeItStopsWritingHasLeft(t *testing.T) {
	h, in, out := serve(t)
	send := func(line string) {
		if _, err := io.WriteString(in, line+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"roots":{}},"clientInfo":{"name":"raw","version":"1"}}}`)
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	_ = out.Close()
	send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	h.ended(t)
	_ = in.Close()
}
