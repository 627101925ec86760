package rpc

import (
	"context"
	"io"
	"log/slog"
	"strconv"
	"strings"
	"testing"

	"github.com/sourcegraph/conc"
	"go.lsp.dev/jsonrpc2"
)

// Whatever an editor sends, the reader comes to an end without a panic, and
// every message it lets through is one the library will take.
func FuzzStream(f *testing.F) {
	frame := func(body string) string { return "Content-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n" + body }
	for _, seed := range []string{
		frame(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`), frame(`[]`), frame(`{`), frame("\xff"),
		"Content-Length: 5\r\nContent-Length: 6\r\n\r\n{}", "Content-Length: 99999999999999999999\r\n\r\n", "\r\n\r\n", "x",
		frame(`{"jsonrpc":"2.0","id":"a","id":"b","method":"x"}`) + frame(strings.Repeat("[", 100)),
		"Content-Length: 70000\r\n\r\n" + strings.Repeat(" ", 70000) + frame(`{"jsonrpc":"2.0","method":"exit"}`),
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		w := newWriter(io.Discard, FramingHeader, func(error) {})
		s := newStream(strings.NewReader(string(in)), w, 64<<10, func(error) {}, slog.New(slog.DiscardHandler))
		s.letGo()
		var writing conc.WaitGroup
		defer writing.Wait()
		defer w.close()
		writing.Go(w.run) // a client that reads
		for {
			msg, _, err := s.Read(context.Background())
			if err != nil {
				return
			}
			if _, err := jsonrpc2.DecodeMessage(jsonrpc2.AppendMessage(nil, msg)); err != nil {
				t.Fatalf("a message the library can't take: %v", err)
			}
			if c, ok := msg.(*jsonrpc2.Call); ok {
				_, _ = s.Write(context.Background(), jsonrpc2.NewResponse(c.ID(), []byte(`1`), nil))
			}
		}
	})
}

// Params come from whoever talks to the editor. Decoding never panics, and what
// was accepted decodes to the same request again.
func FuzzExecParams(f *testing.F) {
	for _, seed := range []string{
		`{"command":"ls"}`, `{"command":"ls","Command":"rm"}`, `{"argv":["a","b"],"env":{"A":null},"timeoutMs":null}`,
		`{"command":"\ud800"}`, `{"command":"a\u0000b"}`, `{"sandbox":{"mode":"off"},"command":"x"}`, `[]`, `null`, `{"stdin":{"data":"!"}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		p := new(ExecParams)
		if decodeStrict(in, p, nullableExec) != nil {
			return
		}
		r, err := p.request()
		if err == nil && strings.ContainsRune(r.Command+strings.Join(r.Argv, ""), 0) {
			t.Errorf("a NUL got through: %q", in)
		}
	})
}
