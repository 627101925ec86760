//go:build linux

package soak

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash"
	"io"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/pillion-sidecar/pillion/rpc/client"
	"github.com/pillion-sidecar/pillion/rpc/jsonrpc"
)

// patience is how long one answer may take on a machine that does other things.
const patience = 60 * time.Second

// editor is a client of a real sidecar.
type editor struct {
	*client.Client
	t    *testing.T
	cmd  *exec.Cmd
	log  *bytes.Buffer
	gate sync.RWMutex // locked: nothing is read

	last    atomic.Int64 // request
	waiting atomic.Int64 // requests that are not answered
	faults  atomic.Int64 // answers without an id
	garbled atomic.Int64 // frames that such answers are for

	mu      sync.Mutex
	streams map[string]*output
}

// answer is a response.
type answer struct {
	Result jsontext.Value
	Error  *jsonrpc.Error
}

// output is what came on one partialResultToken.
type output struct {
	mu    sync.Mutex
	bytes map[string]int64 // by stream, those in gaps included
	text  strings.Builder  // of stdout, its first bytes
	keep  hash.Hash        // gets all of stdout, if there is one
	hole  int64            // where the last gap begins, 0 without any
}

// gated is what an editor reads from.
type gated struct {
	io.ReadCloser
	gate *sync.RWMutex
}

func (g gated) Read(b []byte) (int, error) {
	g.gate.RLock()
	defer g.gate.RUnlock()
	return g.ReadCloser.Read(b)
}

func open(t *testing.T, pillion string, d dirs, options string) *editor {
	e := &editor{t: t, cmd: exec.Command(pillion, "serve"), log: new(bytes.Buffer), streams: map[string]*output{}}
	e.cmd.Env, e.cmd.Stderr = d.environ(), e.log
	in, err := e.cmd.StdinPipe()
	check(t, err)
	out, err := e.cmd.StdoutPipe()
	check(t, err)
	check(t, e.cmd.Start())
	t.Cleanup(func() { // of a test that failed
		if _ = e.cmd.Process.Kill(); t.Failed() {
			_ = e.cmd.Wait()
			t.Logf("its log:\n%s", e.log)
		}
	})
	e.Client = client.New(gated{out, &e.gate}, in, client.Options{Event: e.progress, Stray: e.stray})
	a := e.call("initialize", fmt.Sprintf(`{"processId":null,"workspaceFolders":[{"uri":"file://%s","name":"ws"}],"capabilities":{},"initializationOptions":%s}`, d.workspace, options))
	if a.Error != nil {
		t.Fatalf("initialize: %d", a.Error.Code)
	}
	check(t, e.Notify("initialized", struct{}{}))
	return e
}

// close ends the session and answers the exit code.
func (e *editor) close() int {
	_ = e.Close(context.Background())
	_ = e.cmd.Wait()
	return e.cmd.ProcessState.ExitCode()
}

// waited is what waits for an answer.
type waited func() answer

// begin sends a request.
func (e *editor) begin(method, params string) (id int64, wait waited) {
	id, answered := e.Begin(method, jsontext.Value(params))
	e.last.Store(id)
	e.waiting.Add(1)
	return id, func() (a answer) {
		ctx, stop := context.WithTimeout(context.Background(), patience)
		defer stop()
		if err := answered(ctx, &a.Result); err != nil && !errors.As(err, &a.Error) {
			e.t.Errorf("%s %d: %v", method, id, err)
			a.Error = new(jsonrpc.Error)
			return a
		}
		e.waiting.Add(-1)
		return a
	}
}

func (e *editor) call(method, params string) answer {
	_, wait := e.begin(method, params)
	return wait()
}

// stray sorts what is no answer and no event.
func (e *editor) stray(body []byte) {
	var m struct {
		ID     jsontext.Value `json:"id"`
		Method string         `json:"method"`
	}
	switch err := json.Unmarshal(body, &m); {
	case err != nil:
		e.t.Errorf("frame %.200q: %v", body, err)
	case m.Method != "":
	case string(m.ID) == "null":
		e.faults.Add(1)
	default:
		e.t.Errorf("an answer to %s, which is not waiting for one", m.ID)
	}
}

// stream collects what comes on a token.
func (e *editor) stream(token string) *output {
	o := &output{bytes: map[string]int64{}}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.streams[token] = o
	return o
}

func (e *editor) forget(token string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.streams, token)
}

func (e *editor) progress(v client.Event) {
	token := v.Token
	e.mu.Lock()
	o := e.streams[token]
	e.mu.Unlock()
	if o == nil {
		e.t.Errorf("%s on %s, which has ended", v.Type, token)
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	at := o.bytes[v.Stream]
	switch v.Type {
	case "output":
		if v.Offset != at {
			e.t.Errorf("%s: offset %d after %d", v.Stream, v.Offset, at)
		}
		o.bytes[v.Stream] = v.Offset + v.Length
		if o.keep != nil && v.Stream == "stdout" {
			o.keep.Write(v.Bytes())
		}
		if v.Stream == "stdout" && o.text.Len() < 1<<10 {
			o.text.Write(v.Bytes())
		}
	case "gap":
		if v.From != at {
			e.t.Errorf("%s: a gap from %d after %d", v.Stream, v.From, at)
		}
		o.bytes[v.Stream], o.hole = v.To, v.From
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
