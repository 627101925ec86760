package rpc

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

const initParams = `{"processId":null,"capabilities":{}}`

func TestInitializeReports(t *testing.T) {
	c := start(t)
	c.request(1, "initialize", fmt.Sprintf(`{"processId":null,"clientInfo":{"name":"t"},"rootUri":%q,"unknown":1,
		"capabilities":{"general":{"positionEncodings":["x","utf-8"]},"textDocument":{}},
		"initializationOptions":{"protocolVersion":1,"limits":{"maxConcurrent":3}}}`, "file://"+c.ws))
	var r protocol.InitializeResult
	c.result(1, &r)
	p := r.Capabilities
	if r.ProtocolVersion != 1 || r.ServerInfo.Name != "pillion" || !strings.HasPrefix(r.ServerInfo.SchemaHash, "sha256:") {
		t.Errorf("%+v", r)
	}
	if p.PositionEncoding != "utf-8" || p.Limits.MaxConcurrent != 3 || p.Limits.MaxMessageBytes != 16<<20 || len(p.ExecProvider.Shells) == 0 {
		t.Errorf("%+v", p)
	}
	if len(p.Sandbox.Modes) != 3 || p.GuardProvider.Policy.Hash == "" || !p.Workspace.WorkspaceFolders.ChangeNotifications {
		t.Errorf("%+v", p)
	}
}

func TestBeforeInitialize(t *testing.T) {
	c := start(t)
	c.request(1, "exec", `{"command":"true"}`)
	c.fails(1, -32002, "serverNotInitialized")
	c.request(2, "shutdown", `null`)
	c.fails(2, -32002, "serverNotInitialized")
	c.request(3, "no/such", `{}`)
	c.fails(3, -32002, "serverNotInitialized")
	c.notify("initialized", "{}")
	c.request(4, "initialize", initParams)
	c.result(4, new(protocol.InitializeResult))
	c.request(5, "exec", `{"command":"true"}`) // the early initialized didn't count
	c.fails(5, -32002, "serverNotInitialized")
	lives(c)
	c.request(6, "initialize", initParams)
	c.fails(6, -32600, "invalidRequest")
}

func TestSecondInitialize(t *testing.T) {
	c := ready(t)
	c.request(2, "initialize", initParams)
	c.fails(2, -32600, "invalidRequest")
}

func TestUnsupportedProtocolVersionCanBeRetried(t *testing.T) {
	c := start(t)
	c.request(1, "initialize", `{"processId":null,"capabilities":{},"initializationOptions":{"protocolVersion":2}}`)
	data := c.fails(1, -31016, "unsupportedProtocolVersion")
	if fmt.Sprint(data["supported"], data["requested"]) != "[1] 2" {
		t.Error(data)
	}
	c.request(2, "initialize", initParams)
	c.result(2, new(protocol.InitializeResult))
}

func TestOptionsAreStrict(t *testing.T) {
	c := start(t)
	for i, tt := range []struct{ options, path string }{
		{`{"sandBox":{"mode":"read-only"}}`, "/initializationOptions/sandBox"},
		{`{"sandbox":{"mode":"off"}}`, "/initializationOptions/sandbox/mode"},
		{`{"limits":{"maxConcurrent":"3"}}`, "/initializationOptions/limits/maxConcurrent"},
		{`{"profile":"balanced","profile":"x"}`, "/initializationOptions/profile"},
	} {
		c.request(i, "initialize", `{"processId":null,"capabilities":{},"initializationOptions":`+tt.options+`}`)
		if data := c.fails(i, -32602, "invalidParams"); data["path"] != tt.path {
			t.Errorf("%s: %v", tt.options, data)
		}
	}
	c.request(9, "initialize", initParams)
	c.result(9, new(protocol.InitializeResult))
}

func TestExitCodes(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		do   func(*client)
		code int
	}{
		"exit before initialize": {func(c *client) { c.notify("exit", "null") }, 1},
		"exit without shutdown": {func(c *client) {
			c.request(1, "initialize", initParams)
			c.answer(1)
			c.notify("exit", "null")
		}, 1},
		"shutdown, exit": {func(c *client) {
			c.request(1, "initialize", initParams)
			c.request(2, "shutdown", "null")
			if m := c.answer(2); string(m.Result) != "null" {
				c.t.Errorf("%s", m.Result)
			}
			c.notify("exit", "null")
		}, 0},
		"end of input": {func(c *client) { _ = c.in.Close() }, 1},
		"shutdown, end of input": {func(c *client) {
			c.request(1, "initialize", initParams)
			c.request(2, "shutdown", "null")
			_ = c.in.Close()
		}, 0},
		"end of input in a frame": {func(c *client) { c.raw("Content-Length: 100\r\n\r\n{"); _ = c.in.Close() }, 1},
		"nobody reads":            {func(c *client) { _ = c.out.Close(); c.request(1, "initialize", initParams) }, 1},
		"context":                 {func(c *client) { c.stop() }, 1},
	} {
		t.Run(name, func(t *testing.T) {
			c := start(t)
			tt.do(c)
			if code := c.exited(); code != tt.code {
				t.Errorf("exit %d, want %d", code, tt.code)
			}
		})
	}
}

// Replies that were made before the input ended still arrive.
func TestAnswersBeforeEndOfInputArrive(t *testing.T) {
	c := start(t)
	c.request(1, "initialize", initParams)
	c.request(2, "server/status", "{}")
	_ = c.in.Close()
	c.result(1, new(protocol.InitializeResult))
	c.result(2, new(protocol.StatusResult))
}

func TestAfterShutdown(t *testing.T) {
	c := ready(t)
	c.request(2, "shutdown", "null")
	c.answer(2)
	c.request(3, "server/status", "{}")
	c.fails(3, -32600, "invalidRequest")
	c.request(4, "shutdown", "null")
	c.fails(4, -32600, "invalidRequest")
	c.notify("initialized", "{}")
	c.notify("exit", "null")
	if code := c.exited(); code != 0 {
		t.Errorf("exit %d", code)
	}
}

func TestUnknownMethods(t *testing.T) {
	c := ready(t)
	for i, method := range []string{"no/such", "$/x", "exec/spawn", "$/progress"} {
		c.request(10+i, method, "{}")
		c.fails(10+i, -32601, "methodNotFound")
	}
	c.request(20, "exit", "{}")
	c.fails(20, -32600, "invalidRequest")
	for range 3 {
		c.notify("$/unknown", "{}")
	}
	c.notify("exec", `{"command":"true"}`)
	c.notify("$/cancelRequest", `{"id":[]}`) // the library ends the connection on a failed notification
	lives(c)
	if n := strings.Count(c.log.String(), "$/unknown"); n != 1 {
		t.Errorf("logged %d times", n)
	}
}

// A panic would end the connection too.
func TestPanicIsAnIncident(t *testing.T) {
	const name = "test/panic"
	handlers[name] = strictly(func(*server, *protocol.StatusParams) (any, error) { panic("secret reason") })
	protocol.Methods = append(protocol.Methods, protocol.Method{Name: name})
	c := ready(t)
	protocol.Methods = protocol.Methods[:len(protocol.Methods)-1]
	delete(handlers, name)
	c.request(2, "test/panic", "{}")
	data := c.fails(2, -32603, "internalError")
	incident, _ := data["incident"].(string)
	if m := c.answer(2); incident == "" || !strings.Contains(c.log.String(), incident) || strings.Contains(m.Error.Message, "secret") {
		t.Errorf("%v", data)
	}
	lives(c)
}

func TestRefusedRootStillGivesAServer(t *testing.T) {
	c := start(t)
	good := t.TempDir()
	c.request(1, "initialize", fmt.Sprintf(`{"processId":null,"capabilities":{},"workspaceFolders":[{"uri":"file:///"},{"uri":%q}]}`, "file://"+good))
	c.result(1, new(protocol.InitializeResult))
	m := c.wait("window/logMessage", func(m message) bool { return m.Method == "window/logMessage" })
	if !strings.Contains(string(m.Params), "refused") {
		t.Errorf("%s", m.Params)
	}
	c.notify("initialized", "{}")
	c.request(2, "exec", `{"command":"pwd","cwd":"/"}`)
	data := c.fails(2, -31007, "pathOutsideWorkspace")
	if data["refused"] == nil || fmt.Sprint(data["folders"]) != fmt.Sprint([]string{resolved(t, good)}) {
		t.Errorf("%v", data)
	}
}

func resolved(t *testing.T, path string) string {
	t.Helper()
	r, err := filepath.EvalSymlinks(path)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestFoldersComeAndGo(t *testing.T) {
	c := ready(t)
	other := t.TempDir()
	c.request(2, "exec", fmt.Sprintf(`{"command":"true","cwd":%q}`, other))
	c.fails(2, -31007, "pathOutsideWorkspace")
	c.notify("workspace/didChangeWorkspaceFolders", fmt.Sprintf(`{"event":{"added":[{"uri":%q}],"removed":[{"uri":%q}]}}`, "file://"+other, "file://"+c.ws))
	c.request(3, "exec", `{"command":"pwd"}`)
	var r protocol.ExecResult
	c.result(3, &r)
	if got := r.Output["stdout"].Text; got == nil || *got != resolved(t, other)+"\n" || r.PolicyRevision != 2 {
		t.Errorf("%+v", r)
	}
	c.request(4, "exec", fmt.Sprintf(`{"command":"true","cwd":%q}`, c.ws))
	c.fails(4, -31007, "pathOutsideWorkspace")
}

func TestPolicyFilesComeAndGoWithTheirFolders(t *testing.T) {
	c := start(t)
	bad, tight := t.TempDir(), t.TempDir()
	writePolicy(t, bad, "allowOff = true\n")
	writePolicy(t, tight, "allowPatterns = [\"^pwd$\"]\n")
	c.request(1, "initialize", fmt.Sprintf(`{"capabilities":{},"workspaceFolders":[{"uri":%q},{"uri":%q}]}`, "file://"+c.ws, "file://"+bad))
	c.notify("initialized", "{}")
	c.request(2, "exec", fmt.Sprintf(`{"command":"true","cwd":%q}`, c.ws))
	c.fails(2, -31017, "policyInvalid")
	change := func(added, removed string) {
		c.notify("workspace/didChangeWorkspaceFolders", fmt.Sprintf(`{"event":{"added":[{"uri":%q}],"removed":[{"uri":%q}]}}`, "file://"+added, "file://"+removed))
	}
	change(tight, bad)
	c.request(3, "exec", `{"command":"true"}`)
	c.fails(3, -31001, "guardDenied")
	var r protocol.ExecResult
	c.request(4, "exec", `{"command":"pwd"}`)
	c.result(4, &r)
	change(c.ws, tight)
	c.request(5, "exec", `{"command":"true"}`)
	c.result(5, &r)
	// What a command edits holds when the folders are opened again, not before.
	c.request(6, "exec", `{"command":"echo x > .pillion.toml"}`)
	c.fails(6, -31001, "guardDenied")
	writePolicy(t, c.ws, "x")
	c.request(7, "exec", `{"command":"true"}`)
	c.result(7, &r)
	change(tight, tight)
	c.request(8, "exec", `{"command":"pwd"}`)
	c.fails(8, -31017, "policyInvalid")
}

func TestAPolicyFileThatIsNoneStopsCommands(t *testing.T) {
	c := start(t)
	if err := os.Symlink("/dev/null", filepath.Join(c.ws, ".pillion.toml")); err != nil {
		t.Fatal(err)
	}
	c.request(1, "initialize", fmt.Sprintf(`{"capabilities":{},"workspaceFolders":[{"uri":%q}]}`, "file://"+c.ws))
	c.notify("initialized", "{}")
	c.request(2, "exec", `{"command":"true"}`)
	if data := c.fails(2, -31017, "policyInvalid"); !strings.Contains(fmt.Sprint(data["problems"]), "symlink") {
		t.Errorf("%v", data)
	}
}

// The folder that holds the user's policy would let a command rewrite it.
func TestTheUsersPolicyIsInNoWorkspace(t *testing.T) {
	dir := t.TempDir()
	c := start(t, func(o *Options) { o.Config.PolicyFile = filepath.Join(dir, "policy.toml") })
	c.request(1, "initialize", fmt.Sprintf(`{"capabilities":{},"workspaceFolders":[{"uri":%q}]}`, "file://"+dir))
	c.notify("initialized", "{}")
	c.request(2, "exec", `{"command":"true"}`)
	c.fails(2, -31007, "pathOutsideWorkspace")
}

func writePolicy(t *testing.T, dir, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, ".pillion.toml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestNoFolder(t *testing.T) {
	c := start(t)
	c.request(1, "initialize", initParams)
	c.notify("initialized", "{}")
	c.request(2, "exec", `{"command":"true"}`)
	c.fails(2, -31007, "pathOutsideWorkspace")
}

func TestParentThatEnds(t *testing.T) {
	p, err := os.StartProcess("/bin/sleep", []string{"sleep", "30"}, &os.ProcAttr{})
	if err != nil {
		t.Fatal(err)
	}
	c := start(t)
	c.request(1, "initialize", fmt.Sprintf(`{"processId":%d,"capabilities":{}}`, p.Pid))
	c.result(1, new(protocol.InitializeResult))
	time.Sleep(50 * time.Millisecond)
	lives(c)
	_ = p.Kill()
	_, _ = p.Wait()
	if code := c.exited(); code != 1 {
		t.Errorf("exit %d", code)
	}
}

// An editor outside our container has a pid that means nothing here.
func TestInvisibleParentIsNotWatched(t *testing.T) {
	c := start(t)
	c.request(1, "initialize", `{"processId":4194304,"capabilities":{}}`)
	c.result(1, new(protocol.InitializeResult))
	time.Sleep(50 * time.Millisecond)
	lives(c)
	if !strings.Contains(c.log.String(), "isn't watched") {
		t.Error("not logged")
	}
}
