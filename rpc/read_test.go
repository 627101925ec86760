package rpc

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/pillion-sidecar/pillion/rpc/convert"
	"github.com/pillion-sidecar/pillion/rpc/jsonrpc"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

func (c *client) fetch(id int, params string) protocol.ReadResult {
	c.t.Helper()
	c.request(id, "exec/read", params)
	var r protocol.ReadResult
	c.result(id, &r)
	return r
}

// The streamed bytes and those read after the gap are the whole output.
func TestReadBackBehindTheGapIsByteExact(t *testing.T) {
	c := ready(t)
	const script = "seq 1 60000; head -c 100000 /dev/urandom | tee random; printf é"
	c.request(2, "exec", fmt.Sprintf(`{"execId":"a","command":%q,"partialResultToken":"t","output":{"streamMaxBytes":100000}}`, script))
	var result protocol.ExecResult
	c.result(2, &result)
	var all []byte
	for _, m := range c.all() {
		var p struct {
			Value protocol.OutputEvent `json:"value"`
		}
		if m.Method == "$/progress" && strings.Contains(string(m.Params), `"output"`) {
			if err := json.Unmarshal(m.Params, &p); err != nil {
				t.Fatal(err)
			}
			all = append(all, protocol.ReadResult{Text: p.Value.Text, Data: p.Value.Data}.Bytes()...)
		}
	}
	if len(all) != 100_000 || result.Spool == nil || result.Spool.ExecID != "a" {
		t.Fatalf("streamed %d, %+v", len(all), result.Spool)
	}
	for id := 10; ; id++ {
		r := c.fetch(id, fmt.Sprintf(`{"execId":"a","stream":"stdout","offset":%d,"maxBytes":%d}`, len(all), 10_000+id))
		if r.Offset != int64(len(all)) || r.Length != len(r.Bytes()) || r.NextOffset != r.Offset+int64(r.Length) || r.Length == 0 || r.Running {
			t.Fatalf("%+v", r)
		}
		all = append(all, r.Bytes()...)
		if r.EOF {
			break
		}
	}
	var want bytes.Buffer
	for i := range 60000 {
		fmt.Fprintln(&want, i+1)
	}
	random, err := os.ReadFile(filepath.Join(c.ws, "random"))
	if err != nil {
		t.Fatal(err)
	}
	want.Write(random)
	want.WriteString("é")
	if sha256.Sum256(all) != sha256.Sum256(want.Bytes()) || result.Output["stdout"].TotalBytes != int64(want.Len()) {
		t.Errorf("%d bytes, want %d", len(all), want.Len())
	}
}

func TestReadBehindItsExecFindsIt(t *testing.T) {
	c := ready(t)
	c.request(2, "exec", `{"execId":"a","command":"echo hi"}`)
	if r := c.fetch(3, `{"execId":"a","stream":"stdout","offset":0,"waitMs":20000}`); string(r.Bytes()) != "hi\n" {
		t.Errorf("%+v", r)
	}
	c.answer(2)
}

func TestReadWaitIsCancelledRightBehind(t *testing.T) {
	c := ready(t)
	c.request(2, "exec", `{"execId":"a","command":"sleep 600"}`)
	c.request(3, "exec/read", `{"execId":"a","stream":"stdout","offset":0,"waitMs":60000}`)
	c.notify("$/cancelRequest", `{"id":3}`)
	if data := c.fails(3, -32800, "cancelled"); data["phase"] != "reading" || data["execId"] != "a" {
		t.Errorf("%v", data)
	}
	c.request(4, "exec/cancel", `{"execId":"a"}`)
	c.answer(2)
}

func TestReadsThatWaitHoldNobodyUp(t *testing.T) {
	c := ready(t)
	c.request(2, "exec", `{"execId":"a","command":"sleep 600","partialResultToken":"t"}`)
	c.event("started")
	for i := range maxReads {
		c.request(100+i, "exec/read", `{"execId":"a","stream":"stdout","offset":0,"waitMs":60000}`)
	}
	c.request(3, "exec/read", `{"execId":"a","stream":"stdout","offset":0}`)
	if data := c.fails(3, -31013, "serverBusy"); data["retryable"] != true {
		t.Errorf("%v", data)
	}
	if r := c.exec(4, `{"command":"echo b"}`); stdout(r) != "b\n" {
		t.Errorf("%+v", r)
	}
	c.request(5, "exec/cancel", `{"execId":"a"}`)
	for i := range maxReads {
		var r protocol.ReadResult
		if c.result(100+i, &r); !r.EOF || r.Length != 0 {
			t.Errorf("%+v", r)
		}
	}
	c.fetch(6, `{"execId":"a","stream":"stdout","offset":0}`) // there is room again
}

func TestReadsAreFreedWhenTheyAreAnswered(t *testing.T) {
	s := &server{reads: newInFlight("exec/read", maxReads)}
	for i := range maxReads {
		if err := s.begin(s.reads, jsonrpc.NewNumberID(int64(i)), func() {}); err != nil {
			t.Fatal(err)
		}
	}
	var wire *convert.Refusal
	if err := s.begin(s.reads, jsonrpc.NewNumberID(-1), func() {}); !errors.As(err, &wire) || wire.Code != protocol.CodeServerBusy {
		t.Errorf("%v", err)
	}
	s.done(s.reads, jsonrpc.NewNumberID(0))
	if err := s.begin(s.reads, jsonrpc.NewNumberID(-1), func() {}); err != nil {
		t.Error(err)
	}
}

// The worst text for JSON: every byte becomes six.
func TestReadAnswersFitIntoAMessage(t *testing.T) {
	c := ready(t)
	c.exec(2, `{"execId":"a","command":"head -c 3000000 /dev/zero | tr '\\000' '\\001'"}`)
	for i, more := range []string{"", `,"encoding":"base64"`} {
		r := c.fetch(3+i, `{"execId":"a","stream":"stdout","offset":0,"maxBytes":1048576`+more+`}`)
		if r.Length != 1<<20 || len(r.Bytes()) != 1<<20 || r.EOF || (r.Text == nil) != (more != "") {
			t.Errorf("%d bytes of %d, eof %v", r.Length, len(r.Bytes()), r.EOF)
		}
		if n := len(c.answer(3 + i).Result); n > protocol.MaxMessageBytes/2 {
			t.Errorf("%d bytes on the wire", n)
		}
	}
	if r := c.fetch(5, `{"execId":"a","stream":"stdout","offset":0}`); r.Length != convert.DefaultReadBytes {
		t.Errorf("%d bytes by default", r.Length)
	}
}

func TestReadIsStrict(t *testing.T) {
	c := ready(t)
	c.exec(2, `{"execId":"a","command":"true"}`)
	for i, tt := range [][2]string{
		{`{"stream":"stdout","offset":0}`, "/execId"},
		{`{"execId":"a","offset":0}`, "/stream"},
		{`{"execId":"a","stream":"pty","offset":0}`, "/stream"},
		{`{"execId":"a","stream":"stdout","offset":1.5}`, "/offset"},
		{`{"execId":"a","stream":"stdout","offset":9007199254740992}`, "/offset"},
		{`{"execId":"a","stream":"stdout","offset":-9007199254740992}`, "/offset"},
		{`{"execId":"a","stream":"stdout","offset":0,"maxBytes":-1}`, "/maxBytes"},
		{`{"execId":"a","stream":"stdout","offset":0,"waitMs":-1}`, "/waitMs"},
		{`{"execId":"a","stream":"stdout","offset":0,"encoding":"utf8"}`, "/encoding"},
		{`{"execId":"a","stream":"stdout","offset":0,"Encoding":"base64"}`, "/Encoding"},
		{`{"execId":"a","stream":"stdout","offset":null}`, "/offset"},
	} {
		c.request(3+i, "exec/read", tt[0])
		if data := c.fails(3+i, -32602, "invalidParams"); data["path"] != tt[1] {
			t.Errorf("%s: %v", tt[0], data)
		}
	}
}

func TestReadOfNothingSaysSoInItsEncoding(t *testing.T) {
	c := ready(t)
	c.exec(2, `{"execId":"a","command":"true"}`)
	for i, tt := range [][2]string{{"", `"text":""`}, {`,"encoding":"base64"`, `"data":""`}} {
		c.request(3+i, "exec/read", `{"execId":"a","stream":"stdout","offset":0`+tt[0]+`}`)
		if got := string(c.answer(3 + i).Result); !strings.Contains(got, tt[1]) || !strings.Contains(got, `"gaps":[]`) {
			t.Errorf("%s", got)
		}
	}
}

func TestReadNamesWhatTheSpoolDropped(t *testing.T) {
	c := ready(t, func(o *Options) { o.Config.Limits.SpoolMaxBytes, o.Config.Limits.SpoolTailBytes = 1000, 400 })
	c.exec(2, `{"execId":"a","command":"seq 1 1000"}`) // 3893 bytes
	r := c.fetch(3, `{"execId":"a","stream":"stdout","offset":590}`)
	if r.Offset != 590 || r.Length != 10 || len(r.Gaps) != 0 || r.NextOffset != 600 || r.AvailableFrom != 0 {
		t.Errorf("head: %+v", r)
	}
	r = c.fetch(4, `{"execId":"a","stream":"stdout","offset":600}`)
	if len(r.Gaps) != 1 || r.Gaps[0] != (protocol.ByteRange{From: 600, To: 3493}) || r.Offset != 3493 || r.TotalBytes != 3893 {
		t.Errorf("hole: %+v", r)
	}
	tail := r.Bytes()
	for id := 5; !r.EOF; id++ { // the ring may wrap around
		r = c.fetch(id, fmt.Sprintf(`{"execId":"a","stream":"stdout","offset":%d}`, r.NextOffset))
		tail = append(tail, r.Bytes()...)
	}
	if len(tail) != 400 || !strings.HasSuffix(string(tail), "\n999\n1000\n") {
		t.Errorf("tail: %q", tail)
	}
}

// Requests for one command are applied as they arrive.
func TestReleaseBehindAReadDoesNotOvertakeIt(t *testing.T) {
	c := ready(t)
	for i := range 20 {
		id := 100 * (i + 1)
		c.exec(id, `{"execId":"a","command":"echo hi"}`)
		c.request(id+1, "exec/read", `{"execId":"a","stream":"stdout","offset":0}`)
		c.request(id+2, "exec/release", `{"execId":"a"}`)
		c.request(id+3, "exec/read", `{"execId":"a","stream":"stdout","offset":0}`)
		var r protocol.ReadResult
		if c.result(id+1, &r); string(r.Bytes()) != "hi\n" {
			t.Errorf("%+v", r)
		}
		var released protocol.ReleaseResult
		if c.result(id+2, &released); !released.Released {
			t.Error("not released")
		}
		c.fails(id+3, -31008, "unknownExec")
	}
}

func TestReadIsAnsweredBeforeShutdown(t *testing.T) {
	c := ready(t)
	c.exec(2, `{"execId":"old","command":"echo old"}`)
	c.request(3, "exec", `{"execId":"a","command":"echo up; sleep 600","partialResultToken":"t"}`)
	c.event("output")
	c.request(4, "exec/read", `{"execId":"a","stream":"stdout","offset":3,"waitMs":60000}`)
	c.request(5, "shutdown", "null")
	c.answer(5)
	var r protocol.ReadResult
	if c.result(4, &r); !r.EOF || r.Offset != 3 {
		t.Errorf("%+v", r)
	}
	var ended protocol.ExecResult
	if c.result(3, &ended); ended.Spool != nil || ended.Reason != "shutdown" {
		t.Errorf("%+v", ended)
	}
	all := c.all()
	if string(all[len(all)-1].ID) != "5" {
		t.Errorf("null isn't last: %s", c.dump())
	}
}

func TestRetainedFilesAreClosedWithTheSession(t *testing.T) {
	var dir string
	c := ready(t, func(o *Options) { dir = o.Config.SpoolDir })
	for i := range 4 {
		c.exec(10+i, `{"command":"head -c 5000 /dev/zero; head -c 5000 /dev/zero >&2"}`)
	}
	if n := filesIn(dir); n != 8 {
		t.Errorf("%d files", n)
	}
	c.request(20, "exec", `{"execId":"a","command":"echo up; sleep 600","partialResultToken":"t"}`)
	c.event("output")
	c.request(21, "exec/read", `{"execId":"a","stream":"stdout","offset":3,"waitMs":60000}`)
	_ = c.in.Close()
	c.exited()
	if n := filesIn(dir); n != 0 {
		t.Errorf("%d files after the end", n)
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("%v", left)
	}
}

// filesIn counts this process's open files in a directory, unlinked ones too.
func filesIn(dir string) (n int) {
	fds, _ := filepath.Glob("/proc/self/fd/*")
	for _, fd := range fds {
		if to, err := os.Readlink(fd); err == nil && strings.HasPrefix(to, dir+"/") {
			n++
		}
	}
	return n
}

func TestRetentionIsReportedAndConfigured(t *testing.T) {
	for options, want := range map[string][2]int64{
		`{}`:                  {600_000, 64},
		`{"retentionMs":0}`:   {0, 64},
		`{"retainedExecs":0}`: {600_000, 0},
		`{"retentionMs":5000,"retainedExecs":1000000}`: {5000, 1024},
		`{"retentionMs":9007199254740991}`:             {(24 * time.Hour).Milliseconds(), 64},
	} {
		c := start(t)
		c.request(1, "initialize", fmt.Sprintf(`{"processId":null,"capabilities":{},"initializationOptions":{"limits":%s}}`, options))
		var r protocol.InitializeResult
		c.result(1, &r)
		if l := r.Capabilities.Limits; l.RetentionMs != want[0] || int64(l.RetainedExecs) != want[1] {
			t.Errorf("%s: %+v", options, l)
		}
	}
	c := start(t)
	c.request(1, "initialize", `{"processId":null,"capabilities":{},"initializationOptions":{"limits":{"retentionMs":-1}}}`)
	if data := c.fails(1, -32602, "invalidParams"); data["path"] != "/initializationOptions/limits/retentionMs" {
		t.Errorf("%v", data)
	}
}
