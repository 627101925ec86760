package rpc

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

// event waits for a value of that type on any partialResultToken.
func (c *client) event(kind string) message {
	c.t.Helper()
	return c.wait(kind, func(m message) bool {
		return m.Method == "$/progress" && strings.Contains(string(m.Params), fmt.Sprintf(`"type":%q`, kind))
	})
}

func (c *client) exec(id int, params string) protocol.ExecResult {
	c.t.Helper()
	c.request(id, "exec", params)
	var r protocol.ExecResult
	c.result(id, &r)
	return r
}

func stdout(r protocol.ExecResult) string {
	if t := r.Output["stdout"].Text; t != nil {
		return *t
	}
	return "(none)"
}

func TestExecBuffered(t *testing.T) {
	c := ready(t)
	r := c.exec(2, `{"command":"echo hi; echo 'é€' >&2; exit 3"}`)
	errs := r.Output["stderr"]
	if stdout(r) != "hi\n" || *errs.Text != "é€\n" || errs.TotalBytes != 6 || *r.ExitCode != 3 || r.Signal != nil {
		t.Errorf("%+v", r)
	}
	if r.Reason != "exited" || r.PID <= 0 || r.Guard.Decision != "allow" || !strings.HasPrefix(r.ExecID, "x-") {
		t.Errorf("%+v", r)
	}
	if all := c.all(); len(all) != 1 {
		t.Errorf("more than the answer: %s", c.dump())
	}
}

func TestExecResultHasEveryMember(t *testing.T) {
	c := ready(t)
	c.exec(2, `{"command":"kill -KILL $$"}`)
	got := map[string]any{}
	if err := json.Unmarshal(c.answer(2).Result, &got); err != nil {
		t.Fatal(err)
	}
	for _, name := range strings.Fields(`execId pid exitCode signal reason cancelled timedOut durationMs startedAt output
		spool background sandbox violations violationsTotal resourceUsage guard policyRevision`) {
		if _, ok := got[name]; !ok {
			t.Errorf("no %s in %s", name, c.answer(2).Result)
		}
	}
	if got["exitCode"] != nil || got["signal"] != "SIGKILL" || got["spool"] == nil {
		t.Errorf("%v", got)
	}
}

// collect gathers one token's events and checks the order on the way.
func collect(t *testing.T, all []message, token string) map[string]string {
	t.Helper()
	out := map[string]string{}
	seq, begun := int64(0), false
	for _, m := range all {
		var p struct {
			Token protocol.ProgressToken `json:"token"`
			Value struct {
				Type   string `json:"type"`
				Seq    int64  `json:"seq"`
				Stream string `json:"stream"`
				Offset int64  `json:"offset"`
				Length int    `json:"length"`
				Text   string `json:"text"`
				Data   []byte `json:"data"`
			} `json:"value"`
		}
		if m.Method != "$/progress" {
			continue
		}
		if err := json.Unmarshal(m.Params, &p); err != nil {
			t.Fatal(err)
		}
		if string(p.Token.JSON()) != token {
			continue
		}
		v := p.Value
		switch v.Type {
		case "started":
			begun = true
			continue
		case "output":
			chunk := v.Text + string(v.Data)
			if v.Offset != int64(len(out[v.Stream])) || v.Length != len(chunk) {
				t.Errorf("offset %d length %d after %d bytes", v.Offset, v.Length, len(out[v.Stream]))
			}
			out[v.Stream] += chunk
		}
		if !begun || v.Seq != seq {
			t.Errorf("seq %d, want %d (started: %v)", v.Seq, seq, begun)
		}
		seq++
	}
	return out
}

func TestExecStreamed(t *testing.T) {
	c := ready(t)
	r := c.exec(2, `{"execId":"a","command":"printf 'a\\n\"\\\\\\033[1m'; printf '\\377' >&2; seq 1 20000","partialResultToken":7,"workDoneToken":"w"}`)
	all := c.all()
	if string(all[len(all)-1].ID) != "2" {
		t.Errorf("the answer isn't last: %s", c.dump())
	}
	got := collect(t, all, "7")
	if !strings.HasPrefix(got["stdout"], "a\n\"\\\x1b[1m1\n2\n") || !strings.HasSuffix(got["stdout"], "\n20000\n") || got["stderr"] != "\xff" {
		t.Errorf("%.80q %q", got["stdout"], got["stderr"])
	}
	o := r.Output["stdout"]
	if o.Text != nil || o.StreamedBytes != int64(len(got["stdout"])) || o.TotalBytes != o.StreamedBytes {
		t.Errorf("%+v", o)
	}
	var kinds []string
	for _, m := range all {
		var p struct {
			Value protocol.WorkDoneProgress `json:"value"`
		}
		if json.Unmarshal(m.Params, &p) == nil && p.Value.Kind != "" {
			kinds = append(kinds, p.Value.Kind)
		}
	}
	if fmt.Sprint(kinds) != "[begin end]" {
		t.Errorf("%v", kinds)
	}
}

func TestExecBase64(t *testing.T) {
	c := ready(t)
	c.exec(2, `{"command":"echo hi","partialResultToken":"t","output":{"encoding":"base64"}}`)
	if m := c.event("output"); !strings.Contains(string(m.Params), `"data":"`+base64.StdEncoding.EncodeToString([]byte("hi\n"))) {
		t.Errorf("%s", m.Params)
	}
}

func TestExecWithoutStreaming(t *testing.T) {
	c := ready(t)
	r := c.exec(2, `{"command":"echo hi","partialResultToken":"t","output":{"stream":false}}`)
	c.event("started")
	if stdout(r) != "hi\n" {
		t.Errorf("%+v", r)
	}
}

func TestExecInput(t *testing.T) {
	c := ready(t)
	for i, params := range []string{
		`{"command":"cat","stdin":{"text":"é"}}`,
		`{"command":"cat","stdin":{"data":"w6k="}}`,
		`{"argv":["printf","%s","é"]}`,
		`{"command":"printf %s \"$X\"","env":{"X":"é","HOME":null}}`,
		`{"command":"printf é","cwd":"."}`,
		fmt.Sprintf(`{"command":"printf é","cwd":%q,"timeoutMs":60000,"killGraceMs":10}`, "file://"+c.ws),
	} {
		if r := c.exec(10+i, params); stdout(r) != "é" {
			t.Errorf("%s: %+v", params, r)
		}
	}
}

func TestExecDenied(t *testing.T) {
	c := ready(t)
	c.request(2, "exec", `{"execId":"b-4","command":"rm -rf /","workDoneToken":"w"}`)
	data := c.fails(2, -31001, "guardDenied")
	verdict := data["verdict"].(map[string]any)
	if data["execId"] != "b-4" || data["retryable"] != false || verdict["decision"] != "deny" || len(verdict["findings"].([]any)) == 0 {
		t.Errorf("%v", data)
	}
	if all := c.all(); len(all) != 3 || string(all[2].ID) != "2" {
		t.Errorf("want begin, end, answer: %s", c.dump())
	}
}

func TestExecRefusals(t *testing.T) {
	c := ready(t)
	for i, tt := range []struct {
		params string
		code   int
		kind   string
	}{
		{`{"argv":["./nosuch"]}`, -31006, "spawnFailed"},
		{`{"command":"true","cwd":"/usr"}`, -31007, "pathOutsideWorkspace"},
		{`{"command":"true","cwd":"../.."}`, -31007, "pathOutsideWorkspace"},
		{`{"command":"true","sandbox":{"mode":"off"}}`, -32602, "invalidParams"},
		{`{"command":"true","sandbox":{"network":"allow"}}`, -32602, "invalidParams"},
		{`{"command":"true","sandbox":{"network":"proxy"}}`, -32602, "invalidParams"},
		{`{"command":"true","timeoutMs":null}`, -32602, "invalidParams"},
	} {
		c.request(10+i, "exec", tt.params)
		c.fails(10+i, tt.code, tt.kind)
	}
}

func TestDuplicateExec(t *testing.T) {
	c := ready(t)
	c.request(2, "exec", `{"execId":"a","command":"sleep 600","partialResultToken":"t"}`)
	c.request(3, "exec", `{"execId":"a","command":"true"}`)
	if data := c.fails(3, -31009, "duplicateExec"); data["execId"] != "a" || data["state"] == "" {
		t.Errorf("%v", data)
	}
	c.request(4, "exec", `{"command":"true","workDoneToken":"t"}`)
	c.fails(4, -32602, "invalidParams")
	c.request(5, "exec", `{"command":"true","workDoneToken":"u","partialResultToken":"\u0075"}`)
	c.fails(5, -32602, "invalidParams")
	c.request(6, "exec/cancel", `{"execId":"a","force":true}`)
	c.answer(2)
	c.request(16, "exec/release", `{"execId":"a"}`)
	c.answer(16)
	c.exec(7, `{"execId":"a","command":"true","workDoneToken":"t"}`) // both free again
}

func TestQueueFull(t *testing.T) {
	c := ready(t, func(o *Options) { o.Config.Limits.MaxConcurrent, o.Config.Limits.MaxQueued = 1, 1 })
	c.request(2, "exec", `{"command":"sleep 600","execId":"a","partialResultToken":"t"}`)
	c.event("started")
	c.request(3, "exec", `{"command":"echo b","execId":"b","workDoneToken":"w"}`)
	c.wait("queue report", func(m message) bool { return strings.Contains(string(m.Params), "queued 1") })
	c.request(4, "exec", `{"command":"echo c"}`)
	if data := c.fails(4, -31013, "serverBusy"); data["retryable"] != true || data["retryAfterMs"].(float64) <= 0 {
		t.Errorf("%v", data)
	}
	c.request(5, "exec/cancel", `{"execId":"a"}`)
	var r protocol.ExecResult
	c.result(3, &r)
	if stdout(r) != "b\n" {
		t.Errorf("%+v", r)
	}
}

// Bytes arrive whole and in order however they are cut.
func TestBinaryOutputIsExact(t *testing.T) {
	c := ready(t)
	c.exec(2, `{"command":"i=0; while [ $i -lt 256 ]; do printf \"\\\\$(printf %03o $i)\"; i=$((i+1)); done","partialResultToken":"t","output":{"maxChunkBytes":7}}`)
	var want strings.Builder
	for i := range 256 {
		want.WriteByte(byte(i))
	}
	got := collect(t, c.all(), `"t"`)["stdout"]
	if sha256.Sum256([]byte(got)) != sha256.Sum256([]byte(want.String())) {
		t.Errorf("%q", got)
	}
}
