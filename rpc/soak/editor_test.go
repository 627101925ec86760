//go:build linux

package soak

import (
	"bufio"
	"bytes"
	"fmt"
	"hash"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// patience is how long one answer may take on a machine that does other things.
const patience = 60 * time.Second

// editor is a client of a real sidecar.
type editor struct {
	t    *testing.T
	cmd  *exec.Cmd
	log  *bytes.Buffer
	gate sync.RWMutex // locked: nothing is read

	writing sync.Mutex
	in      io.WriteCloser

	last   atomic.Int64
	faults atomic.Int64 // answers without an id

	garbled atomic.Int64 // frames that such answers are for

	mu      sync.Mutex
	waiting map[string]chan answer
	streams map[string]*output
	ended   chan struct{}
}

// answer is a response as it came.
type answer struct {
	Result jsontext.Value `json:"result"`
	Error  *struct {
		Code int `json:"code"`
	} `json:"error"`
}

// output is what came on one partialResultToken.
type output struct {
	mu    sync.Mutex
	bytes map[string]int64 // by stream, those in gaps included
	text  strings.Builder  // of stdout, its first bytes
	keep  hash.Hash        // gets all of stdout, if there is one
	hole  int64            // where the last gap begins, 0 without any
}

func open(t *testing.T, pillion string, d dirs, options string) *editor {
	e := &editor{t: t, cmd: exec.Command(pillion, "serve"), log: new(bytes.Buffer), waiting: map[string]chan answer{}, streams: map[string]*output{}, ended: make(chan struct{})}
	e.cmd.Env, e.cmd.Stderr = d.environ(), e.log
	var err error
	e.in, err = e.cmd.StdinPipe()
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
	go e.read(bufio.NewReaderSize(out, 1<<16))
	a := e.call("initialize", fmt.Sprintf(`{"processId":null,"workspaceFolders":[{"uri":"file://%s","name":"ws"}],"capabilities":{},"initializationOptions":%s}`, d.workspace, options))
	if a.Error != nil {
		t.Fatalf("initialize: %d", a.Error.Code)
	}
	e.notify("initialized", "{}")
	return e
}

// close ends the session and answers the exit code.
func (e *editor) close() int {
	e.call("shutdown", "null")
	e.notify("exit", "null")
	<-e.ended
	_ = e.cmd.Wait()
	return e.cmd.ProcessState.ExitCode()
}

func (e *editor) frame(body string) {
	e.writing.Lock()
	defer e.writing.Unlock()
	if _, err := fmt.Fprintf(e.in, "Content-Length: %d\r\n\r\n%s", len(body), body); err != nil {
		e.t.Errorf("the sidecar does not read: %v", err)
	}
}

func (e *editor) notify(method, params string) {
	e.frame(fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":%s}`, method, params))
}

// begin sends a request; its answer comes on the channel.
func (e *editor) begin(method, params string) (id string, c chan answer) {
	id, c = strconv.FormatInt(e.last.Add(1), 10), make(chan answer, 2)
	e.mu.Lock()
	e.waiting[id] = c
	e.mu.Unlock()
	e.frame(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, params))
	return id, c
}

func (e *editor) call(method, params string) answer {
	id, c := e.begin(method, params)
	return e.await(id, c)
}

// await takes the answer; a second one is a failure of read.
func (e *editor) await(id string, c chan answer) answer {
	select {
	case a := <-c:
		return a
	case <-e.ended:
		e.t.Errorf("the sidecar ended before it answered %s", id)
	case <-time.After(patience):
		e.t.Errorf("no answer to %s", id)
	}
	return answer{}
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

func (e *editor) read(r *bufio.Reader) {
	defer close(e.ended)
	for {
		e.gate.RLock()
		body, err := next(r)
		e.gate.RUnlock()
		if err != nil {
			return
		}
		e.took(body)
	}
}

func next(r *bufio.Reader) ([]byte, error) {
	length := -1
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return nil, err
		}
		if line == "\r\n" {
			break
		}
		if n, ok := strings.CutPrefix(line, "Content-Length: "); ok {
			length, err = strconv.Atoi(strings.TrimSpace(n))
		}
		if err != nil || length < -1 {
			return nil, fmt.Errorf("header %q", line)
		}
	}
	body := make([]byte, length)
	_, err := io.ReadFull(r, body)
	return body, err
}

// took sorts one frame.
func (e *editor) took(body []byte) {
	var m struct {
		ID     jsontext.Value `json:"id"`
		Method string         `json:"method"`
		Params struct {
			Token string `json:"token"`
			Value event  `json:"value"`
		} `json:"params"`
		answer
	}
	if err := json.Unmarshal(body, &m); err != nil {
		e.t.Errorf("frame %.200q: %v", body, err)
		return
	}
	switch {
	case m.Method == "$/progress":
		e.progress(m.Params.Token, m.Params.Value)
	case m.Method != "":
	case string(m.ID) == "null":
		e.faults.Add(1)
	default:
		e.answered(string(m.ID), m.answer)
	}
}

func (e *editor) answered(id string, a answer) {
	e.mu.Lock()
	defer e.mu.Unlock()
	c, asked := e.waiting[id]
	if !asked {
		e.t.Errorf("an answer to %s, which is not waiting for one", id)
		return
	}
	delete(e.waiting, id)
	c <- a
}

// event is a value on a partialResultToken.
type event struct {
	Type   string `json:"type"`
	Stream string `json:"stream"`
	Offset int64  `json:"offset"`
	Length int64  `json:"length"`
	Text   string `json:"text"`
	Data   []byte `json:"data"`
	From   int64  `json:"from"`
	To     int64  `json:"to"`
}

func (e *editor) progress(token string, v event) {
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
			o.keep.Write([]byte(v.Text))
			o.keep.Write(v.Data)
		}
		if v.Stream == "stdout" && o.text.Len() < 1<<10 {
			o.text.WriteString(v.Text)
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
