package cli_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/pillion-sidecar/pillion/test/needs"
)

// conformance is a case of what every client must do, as far as it can be said on a
// command line.
type conformance struct {
	Name string `json:"name"`
	Exec struct {
		Command   string         `json:"command"`
		Sandbox   map[string]any `json:"sandbox"`
		Stdin     map[string]any `json:"stdin"`
		TimeoutMs int            `json:"timeoutMs"`
	} `json:"exec"`
	Expect struct {
		Shown []string `json:"shown"`
	} `json:"expect"`
}

// The same facts have the same words in the terminal, for an agent and in editors, which
// play the same script.
func TestWhatIsShown(t *testing.T) {
	script, err := os.ReadFile(filepath.Join(module, "editors", "conformance", "conformance.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range bytes.Lines(script) {
		var c conformance
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatal(err)
		}
		if c.Expect.Shown == nil {
			continue
		}
		n++
		for client, shown := range map[string]func(*testing.T, conformance) string{"terminal": inTerminal, "agent": toAgent} {
			t.Run(c.Name+" "+client, func(t *testing.T) {
				got := shown(t, c)
				rest := got
				for _, text := range c.Expect.Shown {
					_, after, found := strings.Cut(rest, text)
					if !found {
						t.Fatalf("%q is not shown in\n%s", text, got)
					}
					rest = after
				}
			})
		}
	}
	if n < 4 {
		t.Errorf("%d cases", n)
	}
}

// client is a program in a workspace, with a home of its own and a policy that allows
// what the script's session allows.
func client(t *testing.T, name string, args ...string) *exec.Cmd {
	t.Helper()
	home, root := t.TempDir(), t.TempDir()
	policy := filepath.Join(home, ".config", "pillion", "policy.toml")
	if err := os.MkdirAll(filepath.Dir(policy), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(policy, []byte("allowOff = true\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), filepath.Join(bin, name), args...)
	c.Dir, c.Env = root, append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME=")
	return c
}

// inTerminal is what pillion exec says beside the output.
func inTerminal(t *testing.T, c conformance) string {
	args := []string{"exec"}
	if mode, ok := c.Exec.Sandbox["mode"].(string); ok {
		args = append(args, "--mode", mode)
	}
	if c.Exec.TimeoutMs > 0 {
		args = append(args, "--timeout", fmt.Sprintf("%dms", c.Exec.TimeoutMs))
	}
	input, given := c.Exec.Stdin["text"].(string)
	if given {
		args = append(args, "--stdin")
	}
	cmd := client(t, "pillion", append(args, "--", c.Exec.Command)...)
	cmd.Stdin = strings.NewReader(input)
	var said bytes.Buffer
	cmd.Stderr = &said
	_ = cmd.Run() // its exit code is the command's
	return strings.ReplaceAll(said.String(), "pillion: ", "")
}

// toAgent is the text that the tool exec of pillion-mcp returns.
func toAgent(t *testing.T, c conformance) string {
	arguments := map[string]any{"command": c.Exec.Command}
	for name, value := range map[string]any{"mode": c.Exec.Sandbox["mode"], "stdin": c.Exec.Stdin["text"]} {
		if value != nil {
			arguments[name] = value
		}
	}
	if c.Exec.TimeoutMs > 0 {
		arguments["timeoutMs"] = c.Exec.TimeoutMs
	}
	cmd := client(t, "pillion-mcp")
	in, out := piped(t, cmd)
	defer func() {
		_ = in.Close()
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}()
	send := func(message map[string]any) {
		message["jsonrpc"] = "2.0"
		if err := json.MarshalWrite(in, message); err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(in, "\n")
	}
	send(map[string]any{"id": 1, "method": "initialize", "params": map[string]any{
		"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "t", "version": "1"},
	}})
	send(map[string]any{"method": "notifications/initialized"})
	send(map[string]any{"id": 2, "method": "tools/call", "params": map[string]any{"name": "exec", "arguments": arguments}})
	var answer struct {
		ID     any `json:"id"`
		Result struct {
			Content []struct {
				Text string `json:"text"`
			} `json:"content"`
		} `json:"result"`
	}
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if err := json.Unmarshal(lines.Bytes(), &answer); err != nil {
			t.Fatal(err)
		}
		if answer.ID == 2.0 {
			break
		}
	}
	var texts []string
	for _, part := range answer.Result.Content {
		texts = append(texts, part.Text)
	}
	return strings.ReplaceAll(strings.Join(texts, "\n"), "pillion: ", "")
}

// A command that tries again for long is reported while it does, and once.
func TestARefusedLookupIsToldWhileTheCommandRuns(t *testing.T) {
	needs.Namespaces(t)
	c := client(t, "pillion", "exec", "--network", "deny", "--", "getent hosts npm.example; until [ -e go ]; do sleep 0.1; done")
	said, err := c.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	var lines []string
	for rows := bufio.NewScanner(said); rows.Scan(); {
		if lines = append(lines, rows.Text()); len(lines) == 1 { // of a command that waits for us
			if err := os.WriteFile(filepath.Join(c.Dir, "go"), nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	_ = c.Wait()
	want := "pillion: refused: resolve npm.example (network); to allow it: --host npm.example"
	if len(lines) != 2 || lines[0] != want || !strings.HasPrefix(lines[1], "pillion: exit 0 · ") {
		t.Errorf("%q", lines)
	}
}
