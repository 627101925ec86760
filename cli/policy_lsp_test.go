package cli_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/pillion-sidecar/pillion/rpc/jsonrpc"
)

// languageServer is a real one, spoken to in the frames of an editor.
type languageServer struct {
	t    *testing.T
	c    *exec.Cmd
	in   io.Closer
	wire *jsonrpc.Wire
	id   int
}

// said is any message of the server.
type said struct {
	ID     int
	Method string
	Params struct {
		URI         string
		Version     int
		Diagnostics []marked
	}
	Result map[string]any
	Error  *struct {
		Code    int
		Message string
	}
	raw string
}

type marked struct {
	Range struct {
		Start, End struct{ Line, Character int }
	}
	Severity int
	Message  string
}

// piped starts a program by its input and output.
func piped(t *testing.T, c *exec.Cmd) (in io.WriteCloser, out io.Reader) {
	t.Helper()
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if out, err = c.StdoutPipe(); err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	return in, out
}

func newLanguageServer(t *testing.T) *languageServer {
	t.Helper()
	c := exec.Command(filepath.Join(bin, "pillion"), "policy", "lsp", "--stdio")
	c.Stderr = os.Stderr
	in, out := piped(t, c)
	s := &languageServer{t: t, c: c, in: in, wire: jsonrpc.NewWire(out, in)}
	t.Cleanup(func() { _ = in.Close(); _ = c.Wait() })
	return s
}

func (s *languageServer) send(format string, args ...any) {
	s.t.Helper()
	if err := s.wire.Send(fmt.Appendf(nil, format, args...)); err != nil {
		s.t.Fatal(err)
	}
}

func (s *languageServer) next() (m said) {
	s.t.Helper()
	body, err := s.wire.Read()
	if err != nil {
		s.t.Fatal(err)
	}
	m.raw = string(body)
	if err := json.Unmarshal(body, &m, json.MatchCaseInsensitiveNames(true)); err != nil && !strings.Contains(m.raw, `"result":[`) {
		s.t.Fatalf("%s: %v", body, err)
	}
	return m
}

func (s *languageServer) ask(method, params string) said {
	s.t.Helper()
	s.id++
	s.send(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, s.id, method, params)
	return s.next()
}

func (s *languageServer) greet() said {
	s.t.Helper()
	m := s.ask("initialize", `{"processId":1,"rootUri":null,"capabilities":{"general":{"positionEncodings":["utf-8","utf-16"]}}}`)
	s.send(`{"jsonrpc":"2.0","method":"initialized","params":{}}`)
	return m
}

// show opens or changes a file and answers what is marked in it.
func (s *languageServer) show(method, path, text string, version int) []marked {
	s.t.Helper()
	member := fmt.Sprintf(`"textDocument":{"uri":"file://%s","languageId":"toml","version":%d,"text":%s}`, path, version, encoded(s.t, text))
	s.send(`{"jsonrpc":"2.0","method":"textDocument/%s","params":{%s,"contentChanges":[{"text":%s}]}}`, method, member, encoded(s.t, text))
	m := s.next()
	if m.Method != "textDocument/publishDiagnostics" || m.Params.URI != "file://"+path || m.Params.Version != version {
		s.t.Fatalf("after %s: %s", method, m.raw)
	}
	return m.Params.Diagnostics
}

func encoded(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func (s *languageServer) exit() int {
	_ = s.in.Close()
	var code *exec.ExitError
	if err := s.c.Wait(); errors.As(err, &code) {
		return code.ExitCode()
	}
	return 0
}

// An editor marks what policy validate says, in the same words and at the same place.
func TestAnEditorMarksWhatValidateSays(t *testing.T) {
	t.Parallel()
	s := newLanguageServer(t)
	s.greet()
	files, err := filepath.Glob(filepath.Join(module, "testdata/policy/*/*.toml"))
	if err != nil || len(files) < 10 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "policy.toml")
		if strings.HasPrefix(filepath.Base(file), "workspace-") {
			path = filepath.Join(filepath.Dir(path), ".pillion.toml")
		}
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		out, _ := exec.Command(filepath.Join(bin, "pillion"), "policy", "validate", path).CombinedOutput()
		want := strings.ReplaceAll(string(out), path+": ok\n", "")
		var got strings.Builder
		for _, m := range s.show("didOpen", path, string(text), 1) {
			at := m.Range.Start
			fmt.Fprintf(&got, "%s%s:%d:%d: %s\n", map[int]string{2: "warning: "}[m.Severity], path, at.Line+1, at.Character+1, m.Message)
			if end := m.Range.End; end == at {
				t.Errorf("%s: nothing is marked at %v", file, at)
			}
		}
		// A character that can't be seen is shown by its number on a terminal.
		if got.String() != strings.ReplaceAll(want, `\u202e`, "\u202e") {
			t.Errorf("%s: the editor shows\n%s\nvalidate says\n%s", file, got.String(), want)
		}
	}
}

func TestAPolicyFileIsWrittenInAnEditor(t *testing.T) {
	t.Parallel()
	s := newLanguageServer(t)
	m := s.greet()
	for _, capability := range []string{`"positionEncoding":"utf-16"`, `"hoverProvider":true`, `"change":1`, `"completionProvider"`, `"codeActionProvider"`} {
		if !strings.Contains(m.raw, capability) {
			t.Fatalf("no %s in %s", capability, m.raw)
		}
	}
	path := filepath.Join(t.TempDir(), "policy.toml")
	marks := s.show("didOpen", path, "# 😀\n[sandbox]\nmode = \"readonly\"\n", 1)
	if len(marks) != 1 || marks[0].Range.Start.Line != 2 || marks[0].Range.End.Character != 4 || marks[0].Severity != 1 {
		t.Fatalf("%+v", marks)
	}
	document := `"textDocument":{"uri":"file://` + path + `"}`
	m = s.ask("textDocument/codeAction", `{`+document+`,"range":{"start":{"line":2,"character":1},"end":{"line":2,"character":1}},"context":{"diagnostics":[]}}`)
	edit := `"edit":{"changes":{"file://` + path + `":[{"range":{"start":{"line":2,"character":7},"end":{"line":2,"character":17}},"newText":"\"read-only\""}]}}`
	if !strings.Contains(m.raw, edit) || !strings.Contains(m.raw, `"title":"Change to \"read-only\""`) || !strings.Contains(m.raw, `"kind":"quickfix"`) {
		t.Errorf("no fix: %s", m.raw)
	}
	at := func(character int) string {
		return fmt.Sprintf(`{%s,"position":{"line":2,"character":%d}}`, document, character)
	}
	if m = s.ask("textDocument/hover", at(1)); !strings.Contains(m.raw, "What a command may write.") {
		t.Errorf("no hover: %s", m.raw)
	}
	if m = s.ask("textDocument/completion", at(8)); !strings.Contains(m.raw, `"newText":"\"workspace-write\""`) {
		t.Errorf("nothing is completed: %s", m.raw)
	}
	if marks = s.show("didChange", path, "[sandbox]\nmode = \"read-only\"\n", 2); len(marks) != 0 {
		t.Errorf("after the fix: %+v", marks)
	}
	// What is wrong with the file itself is said when it is there.
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o666); err != nil {
		t.Fatal(err)
	}
	s.send(`{"jsonrpc":"2.0","method":"textDocument/didSave","params":{%s}}`, document)
	if m = s.next(); len(m.Params.Diagnostics) != 1 || !strings.HasPrefix(m.Params.Diagnostics[0].Message, "others can write it (0666)") {
		t.Errorf("after the file was saved: %s", m.raw)
	}
	s.send(`{"jsonrpc":"2.0","method":"textDocument/didClose","params":{%s}}`, document)
	if m = s.next(); m.Params.Diagnostics == nil || len(m.Params.Diagnostics) != 0 {
		t.Errorf("after the file was closed: %s", m.raw)
	}
	if m = s.ask("textDocument/hover", at(1)); !strings.HasSuffix(m.raw, `"result":null}`) {
		t.Errorf("of a file that is closed: %s", m.raw)
	}
	if m = s.ask("shutdown", "null"); m.Error != nil {
		t.Error(m.raw)
	}
	s.send(`{"jsonrpc":"2.0","method":"exit"}`)
	if code := s.exit(); code != 0 {
		t.Errorf("the exit code is %d", code)
	}
}

// Whatever comes costs nothing but itself.
func TestTheLanguageServerOutlivesBadMessages(t *testing.T) {
	t.Parallel()
	s := newLanguageServer(t)
	if m := s.ask("textDocument/hover", `{}`); m.Error == nil || m.Error.Code != int(jsonrpc.ServerNotInitialized) {
		t.Errorf("before initialize: %s", m.raw)
	}
	s.greet()
	if m := s.ask("workspace/symbol", `{"query":""}`); m.Error == nil || m.Error.Code != int(jsonrpc.MethodNotFound) {
		t.Errorf("an unknown method: %s", m.raw)
	}
	if m := s.ask("textDocument/hover", `{"position":{"line":"x"}}`); m.Error == nil || m.Error.Code != int(jsonrpc.InvalidParams) {
		t.Errorf("wrong params: %s", m.raw)
	}
	s.send("no JSON")
	if m := s.next(); m.Error == nil || m.Error.Code != int(jsonrpc.ParseError) {
		t.Errorf("no JSON: %s", m.raw)
	}
	s.send(`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"x":"%s"}}`, strings.Repeat("x", 3<<20))
	if m := s.next(); m.Error == nil || !strings.Contains(m.Error.Message, "over the limit") {
		t.Errorf("a message without end: %s", m.raw)
	}
	s.send(`{"jsonrpc":"2.0","method":"textDocument/didChange","params":null}`)
	s.send(`{"jsonrpc":"2.0","method":"$/setTrace","params":{"value":"off"}}`)
	if marks := s.show("didOpen", filepath.Join(t.TempDir(), ".pillion.toml"), strings.Repeat("#", 300<<10), 1); len(marks) != 1 || !strings.HasPrefix(marks[0].Message, "it is larger than 262144 bytes") {
		t.Errorf("a file without end: %+v", marks)
	}
	if code := s.exit(); code != 1 {
		t.Errorf("the exit code is %d", code)
	}
}
