package rpc

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/pillion-sidecar/pillion/rpc/jsonrpc"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
	"github.com/pillion-sidecar/pillion/test/box"
)

// FuzzMethods sends any params to every method of a server whose guard denies
// everything. Nothing panics, each request is answered exactly once, no
// notification is, and nothing runs.
func FuzzMethods(f *testing.F) {
	methods := clientMethods()
	for i, m := range methods {
		for _, params := range fuzzParams(m) {
			f.Add(byte(i), []byte(params), true)
			f.Add(byte(i), []byte(params), false)
		}
	}
	ws, options := f.TempDir(), fuzzOptions(f)
	f.Fuzz(func(t *testing.T, method byte, params []byte, request bool) {
		name := methods[int(method)%len(methods)]
		if !fuzzable(params) {
			return // no message comes of it
		}
		session := fuzzSession(name, string(params), ws, request)
		got := serveAll(t, options, session)
		checkSession(t, name, got, request)
	})
}

// fuzzable params get as far as a method.
func fuzzable(params jsontext.Value) bool {
	k := params.Kind()
	return params.IsValid() && !bytes.ContainsAny(params, "\n\r") && bytes.Count(params, []byte("["))+bytes.Count(params, []byte("{")) < 60 && (k == '{' || k == '[' || k == 'n')
}

// clientMethods are the methods a client may call, but for exit: after that there is
// nothing to check.
func clientMethods() (names []string) {
	for name := range served() {
		if name != "exit" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// fuzzParams are a few beginnings for a method.
func fuzzParams(method string) []string {
	common := []string{`{}`, `[]`, `null`, `{"execId":"a"}`}
	return append(common, map[string][]string{
		"initialize": {
			`{"processId":null,"capabilities":{"exec":{"approval":true,"events":["violation"]}},"initializationOptions":{"limits":{"maxConcurrent":1},"profile":"layered","sandbox":{"mode":"off"},"policy":{"allowOff":true}}}`,
			`{"workspaceFolders":[{"uri":"file:///nowhere/at%20all","name":"x"}],"rootUri":"file:///","clientInfo":{"name":"x"}}`,
		},
		"exec": {
			`{"command":"echo $(id) | tee x","cwd":"sub","env":{"A":"b","C":null},"envInherit":"none","timeoutMs":100,"killGraceMs":1,"description":"d"}`,
			`{"argv":["ls","-l"],"pty":{"rows":2,"cols":80},"stdin":{"text":"x","open":true},"partialResultToken":"t","workDoneToken":1}`,
			`{"command":"ls","sandbox":{"mode":"read-only","network":"deny","reads":"private","require":"bestEffort","name":"n","writable":["sub"]},"onBackground":"leave"}`,
			`{"command":"ls","output":{"encoding":"base64","merge":true,"flushMs":1,"maxChunkBytes":10,"streamMaxBytes":5,"inlineMaxBytes":5,"inlineKeep":"tail","summary":{"form":"plain","maxChars":10,"keep":"head"}}}`,
			`{"commands":["ls","false; id","echo $(x)"],"ignoreErrors":true,"shell":"bash"}`,
			`{"command":"ls","partialResultToken":"t","output":{"saveAs":"n","window":1000,"spoolMaxBytes":4096,"spoolTailBytes":10,"onSpoolFull":"block"},"approval":{"state":"s","decision":"accept"}}`,
		},
		"exec/ack":      {`{"execId":"a","consumed":7,"stream":"stdout"}`},
		"exec/write":    {`{"execId":"a","text":"x","close":true,"offset":3}`, `{"execId":"a","data":"aGk="}`},
		"exec/resize":   {`{"execId":"a","size":{"rows":1,"cols":1}}`},
		"exec/signal":   {`{"execId":"a","signal":"hangup"}`},
		"exec/read":     {`{"execId":"a","stream":"stdout","offset":-5,"maxBytes":10,"waitMs":10,"encoding":"base64"}`},
		"sandbox/reset": {`{"name":"n","force":true}`},
		"guard/check":   {`{"checks":[{"command":"rm -rf \"$X\"; for i in *; do sh -c \"$i\"; done"},{"argv":["python3","-c","import os"]}]}`},
		"guard/explain": {`{"ruleId":"fs/delete-sytem"}`},
		"guard/grants":  {`{"action":"clear","grantId":"g"}`},
		"server/status": {`{"probe":true}`},
		"workspace/executeCommand": {
			`{"command":"pillion.exec","arguments":[{"command":"ls"}],"workDoneToken":"w","partialResultToken":"p"}`,
			`{"command":"pillion.exec.cancel","arguments":[{"execId":"a"}]}`,
		},
		"workspace/didChangeConfiguration": {
			`{"settings":{"pillion":{"sandbox":{"mode":"read-only"},"policy":{"rules":{"git/*":"deny"}},"limits":{"maxConcurrent":1}}}}`,
		},
		"workspace/didChangeWorkspaceFolders": {
			`{"event":{"added":[{"uri":"file:///nowhere","name":"x"}],"removed":[{"uri":"file:///w","name":"w"}]}}`,
		},
		"$/cancelRequest": {`{"id":1}`, `{"id":"a"}`},
	}[method]...)
}

func fuzzOptions(f *testing.F) Options {
	f.Helper()
	b, err := box.Manager()
	if err != nil {
		f.Fatal(err)
	}
	conf := testConfig(f)
	conf.Guard.Closed = "nothing runs while fuzzing"
	return Options{Framing: jsonrpc.FramingLines, Config: conf, Sandbox: b, Version: "fuzz"}
}

// fuzzSession is a whole session with one message in the middle. An initialize is
// the first one, and what comes behind it depends on what it says.
func fuzzSession(method, params, ws string, request bool) string {
	id := ""
	if request {
		id = `"id":2,`
	}
	lines := []string{
		fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"processId":null,"workspaceFolders":[{"uri":"file://%s","name":"w"}],`+
			`"capabilities":{"exec":{"ack":true,"approvalRetry":true,"events":["violation"]}},"initializationOptions":{"executeCommand":true}}}`, ws),
		`{"jsonrpc":"2.0","method":"initialized","params":{}}`,
		fmt.Sprintf(`{"jsonrpc":"2.0",%s"method":%q,"params":%s}`, id, method, params),
		`{"jsonrpc":"2.0","id":3,"method":"server/status","params":{}}`,
		`{"jsonrpc":"2.0","id":4,"method":"shutdown"}`,
	}
	if method == "initialize" {
		lines = lines[2:]
	}
	return strings.Join(lines, "\n") + "\n"
}

// serveAll serves a session that is written before the first answer is read.
func serveAll(t *testing.T, o Options, session string) (got []message) {
	t.Helper()
	hang := time.AfterFunc(30*time.Second, func() { panic("the server hangs") })
	defer hang.Stop()
	out := &sessionOutput{over: make(chan struct{})}
	o.In, o.Out = &sessionInput{strings.NewReader(session), out.over}, out
	Serve(t.Context(), o)
	for p := o.Framing.Packets(&out.Buffer, protocol.MaxMessageBytes); ; {
		m, err := p.Next()
		if err != nil {
			return got
		}
		var decoded message
		if err := json.Unmarshal(m.Body, &decoded); err != nil {
			t.Fatalf("%v in %q", err, m.Body)
		}
		got = append(got, decoded)
	}
}

// sessionInput ends when the session is over, as that of a polite editor.
type sessionInput struct {
	*strings.Reader
	over <-chan struct{}
}

func (s *sessionInput) Read(b []byte) (int, error) {
	n, err := s.Reader.Read(b)
	if err != nil {
		<-s.over
	}
	return n, err
}

// sessionOutput notices the answer to shutdown.
type sessionOutput struct {
	bytes.Buffer
	over chan struct{}
}

func (s *sessionOutput) Write(b []byte) (int, error) {
	if bytes.Contains(b, []byte(`"id":4,`)) {
		close(s.over)
	}
	return s.Buffer.Write(b)
}

func checkSession(t *testing.T, method string, got []message, request bool) {
	t.Helper()
	times := map[string]int{}
	for _, m := range got {
		if m.Method != "" {
			if m.Method == "$/progress" && strings.Contains(string(m.Params), "started") {
				t.Fatalf("something ran: %s", m.Params)
			}
			continue
		}
		if times[string(m.ID)]++; times[string(m.ID)] > 1 {
			t.Fatalf("%s answered twice", m.ID)
		}
		if m.Error != nil && m.Error.Code == int(protocol.CodeInternal) {
			t.Fatalf("internal error: %s", m.Error.Message)
		}
		if string(m.ID) == "2" && m.Error == nil && (method == "exec" || strings.Contains(string(m.Result), `"exitCode"`)) {
			t.Fatalf("something ran: %s", m.Result)
		}
	}
	want := []string{"3", "4"}
	if request {
		want = append(want, "2")
	}
	for _, id := range want {
		if times[id] == 0 {
			t.Fatalf("%s was not answered: %+v", id, got)
		}
	}
	delete(times, "1")
	if len(times) != len(want) {
		t.Fatalf("answers to nothing: %v", times)
	}
}
