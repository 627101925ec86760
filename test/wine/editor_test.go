//go:build wine

package wine

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/pillion-sidecar/pillion/rpc/jsonrpc"
)

// patience is how long one answer may take on a machine that does other things.
const patience = time.Minute

// editor is the client of one pillion.exe.
type editor struct {
	t    *testing.T
	cmd  *exec.Cmd
	wire *jsonrpc.Wire
	in   io.Closer // of what is sent
	from chan message
	seen []message // notifications, in their order
	ws   string    // the workspace on this side
}

// message is what came.
type message struct {
	ID     int            `json:"id"`
	Method string         `json:"method"`
	Params jsontext.Value `json:"params"`
	Result jsontext.Value `json:"result"`
	Error  *struct {
		Code    int            `json:"code"`
		Message string         `json:"message"`
		Data    jsontext.Value `json:"data"`
	} `json:"error"`
}

// drive is a path of this side as Wine shows it.
func drive(path string) string { return `Z:` + strings.ReplaceAll(path, "/", `\`) }

func open(t *testing.T) *editor {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	e := &editor{t: t, ws: filepath.Join(root, "ws"), from: make(chan message, 1024)}
	for _, dir := range []string{"ws", "home", "cache", "state"} {
		if err := os.Mkdir(filepath.Join(root, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	e.cmd = exec.Command(os.Getenv("WINELOADER"), os.Getenv("PILLION_EXE"), "serve")
	e.cmd.Dir, e.cmd.Stderr = root, os.Stderr
	e.cmd.Env = append(os.Environ(), "XDG_CACHE_HOME="+drive(root+"/cache"), "XDG_STATE_HOME="+drive(root+"/state"))
	out, err := e.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	in, err := e.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := e.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // of a test that failed
		_ = e.cmd.Process.Kill()
		_ = e.cmd.Wait()
	})
	e.in, e.wire = in, jsonrpc.NewWire(out, in)
	go e.read()
	return e
}

// read reads messages until the output ends.
func (e *editor) read() {
	defer close(e.from)
	for {
		body, err := e.wire.Read()
		if err != nil {
			return
		}
		var m message
		if err := json.Unmarshal(body, &m); err != nil {
			m = message{Method: "not JSON: " + err.Error()}
		}
		e.from <- m
	}
}

func (e *editor) send(body string) {
	e.t.Helper()
	if err := e.wire.Send([]byte(body)); err != nil {
		e.t.Fatal(err)
	}
}

func (e *editor) request(id int, method, params string) {
	e.t.Helper()
	e.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, method, params))
}

// answer waits for that request's; what comes before is seen.
func (e *editor) answer(id int) message {
	e.t.Helper()
	return e.until(fmt.Sprintf("the answer to %d", id), func(m message) bool { return m.Method == "" && m.ID == id })
}

func (e *editor) until(what string, is func(message) bool) message {
	e.t.Helper()
	late := time.After(patience)
	for {
		select {
		case m, ok := <-e.from:
			if !ok {
				e.t.Fatalf("the output ended before %s", what)
			}
			if is(m) {
				return m
			}
			e.seen = append(e.seen, m)
		case <-late:
			e.t.Fatalf("no %s", what)
		}
	}
}

// start greets, with best effort: Wine enforces nothing.
func (e *editor) start() message {
	e.t.Helper()
	e.request(1, "initialize", fmt.Sprintf(`{"processId":null,"rootUri":"file:///Z:%s","capabilities":{},"initializationOptions":{"protocolVersion":1,"sandbox":{"require":"bestEffort"}}}`, e.ws))
	m := e.answer(1)
	e.send(`{"jsonrpc":"2.0","method":"initialized","params":{}}`)
	return m
}

// stop says goodbye, and tells the exit code.
func (e *editor) stop() int {
	e.t.Helper()
	e.request(99, "shutdown", "null")
	if m := e.answer(99); m.Error != nil {
		e.t.Errorf("shutdown: %+v", m.Error)
	}
	e.send(`{"jsonrpc":"2.0","method":"exit"}`)
	for range e.from { // until its output ends
	}
	_ = e.cmd.Wait()
	return e.cmd.ProcessState.ExitCode()
}

func into[T any](t *testing.T, v jsontext.Value) (out T) {
	t.Helper()
	if err := json.Unmarshal(v, &out); err != nil {
		t.Fatalf("%v: %s", err, v)
	}
	return out
}
