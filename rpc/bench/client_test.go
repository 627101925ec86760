package bench

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// editor is the cheapest client there can be: what it costs is not ours.
type editor struct {
	t    testing.TB
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	body []byte
	id   int
}

// spawn starts the program without a word to it.
func spawn(t testing.TB) *editor {
	t.Helper()
	e := &editor{t: t, cmd: exec.Command(pillion, "serve")}
	e.cmd.Env = append(os.Environ(), "XDG_CACHE_HOME="+scratch, "XDG_STATE_HOME="+scratch)
	var err error
	if e.in, err = e.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := e.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	e.out = bufio.NewReaderSize(out, 1<<16)
	if err := e.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return e
}

// initialize opens the session on the workspace.
func (e *editor) initialize() {
	e.call("initialize", fmt.Sprintf(`{"processId":null,"workspaceFolders":[{"uri":%s,"name":"ws"}],"capabilities":{}}`, quote(workspace)))
	e.send(`{"jsonrpc":"2.0","method":"initialized","params":{}}`)
}

// end closes the session like an editor does, and fails if it didn't like it.
func (e *editor) end() {
	e.call("shutdown", "null")
	e.send(`{"jsonrpc":"2.0","method":"exit"}`)
	_, _ = io.Copy(io.Discard, e.out)
	if err := e.cmd.Wait(); err != nil {
		e.t.Error("pillion: ", err)
	}
}

// call sends a request and reads up to its answer, an error or not.
func (e *editor) call(method, params string) []byte {
	e.id++
	e.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"%s","params":%s}`, e.id, method, params))
	answer := []byte(`{"jsonrpc":"2.0","id":` + strconv.Itoa(e.id) + `,`)
	for {
		if frame := e.read(); bytes.HasPrefix(frame, answer) {
			return frame
		}
	}
}

// run is one exec that must succeed.
func (e *editor) run(params string) []byte {
	answer := e.call("exec", params)
	if !bytes.Contains(answer, []byte(`"exitCode":0`)) {
		e.t.Fatalf("exec %s: %.500s", params, answer)
	}
	return answer
}

func (e *editor) send(body string) {
	if _, err := fmt.Fprintf(e.in, "Content-Length: %d\r\n\r\n%s", len(body), body); err != nil {
		e.t.Fatal(err)
	}
}

// read returns the next frame; it is valid until the next read.
func (e *editor) read() []byte {
	length := 0
	for {
		line, err := e.out.ReadString('\n')
		if err != nil {
			e.t.Fatal(err)
		}
		if line == "\r\n" {
			break
		}
		if n, ok := strings.CutPrefix(line, "Content-Length: "); ok {
			length, _ = strconv.Atoi(strings.TrimSpace(n))
		}
	}
	if cap(e.body) < length {
		e.body = make([]byte, length)
	}
	e.body = e.body[:length]
	if _, err := io.ReadFull(e.out, e.body); err != nil {
		e.t.Fatal(err)
	}
	return e.body
}

func quote(s string) string {
	b, err := jsontext.AppendQuote(nil, s)
	if err != nil {
		panic(err) // a path that is not UTF-8
	}
	return string(b)
}
