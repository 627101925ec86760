package rpc

import (
	"bytes"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"github.com/pillion-sidecar/pillion/executor"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

// The hand-made frame decodes to what the type says, for any bytes and token.
func TestOutputFrameIsAnOutputEvent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		token, err := jsontext.AppendQuote(nil, rapid.String().Draw(t, "token"))
		if err != nil {
			t.Skip()
		}
		var quoted protocol.ProgressToken
		if err := quoted.UnmarshalJSON(token); err != nil {
			t.Skip()
		}
		c := executor.Chunk{
			Seq: rapid.Int64Min(0).Draw(t, "seq"), Offset: rapid.Int64Min(0).Draw(t, "offset"), Stream: executor.Stderr,
		}
		if c.Text = rapid.Bool().Draw(t, "text"); c.Text {
			c.Bytes = bytes.ToValidUTF8([]byte(rapid.String().Draw(t, "bytes")), nil)
		} else {
			c.Bytes = rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")
		}
		f := newProgress(quoted, false).output(c)
		checkOutput(t, f.Body(), string(token), c)
	})
}

func checkOutput(t *rapid.T, body []byte, token string, c executor.Chunk) {
	var m struct {
		JSONRPC string                  `json:"jsonrpc"`
		Method  string                  `json:"method"`
		Params  protocol.ProgressParams `json:"params"`
	}
	var e protocol.OutputEvent
	if err := json.Unmarshal(body, &m, json.RejectUnknownMembers(true)); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	if err := json.Unmarshal(m.Params.Value, &e, json.RejectUnknownMembers(true)); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	got := e.Data
	if e.Text != nil {
		got = []byte(*e.Text)
	}
	if m.JSONRPC != "2.0" || m.Method != "$/progress" || string(m.Params.Token.JSON()) != token || e.Type != "output" ||
		e.Seq != c.Seq || e.Offset != c.Offset || e.Length != len(c.Bytes) || e.Stream != "stderr" ||
		(e.Text != nil) != c.Text || !bytes.Equal(got, c.Bytes) {
		t.Fatalf("%s from %+v", body, c)
	}
}

func BenchmarkOutputFrame(b *testing.B) {
	p := newProgress(protocol.Token("t"), false)
	c := executor.Chunk{Stream: executor.Stdout, Text: true, Bytes: bytes.Repeat([]byte("ok  \tgithub.com/x/y\t0.123s\n"), 1200)}
	b.SetBytes(int64(len(c.Bytes)))
	b.ReportAllocs()
	for b.Loop() {
		f := p.output(c)
		f.Free()
	}
}
