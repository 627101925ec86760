package mcp

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

type sink struct{ bytes.Buffer }

func (*sink) Close() error { return nil }

// Whatever comes in, a line that is a request arrives, and every other one is
// answered or dropped; nothing ends the stream but its end.
func FuzzLines(f *testing.F) {
	f.Add("{oops\n[]\n\n7\n")
	f.Add(`{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n" + `{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}`)
	f.Add(`{"jsonrpc":"2.0","id":1e400,"method":"ping"}` + "\n" + `{"jsonrpc":"2.0","id":"\ud800","result":null}`)
	f.Fuzz(func(t *testing.T, in string) {
		gone := 0
		var out sink
		tr := newTransport(io.NopCloser(strings.NewReader(in+"\n"+`{"jsonrpc":"2.0","id":"last","method":"ping"}`+"\n")), &out, func() { gone++ })
		defer tr.finish()
		var last jsonrpc.Message
		for {
			msg, err := tr.Read(context.Background())
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			last = msg
		}
		if r, ok := last.(*jsonrpc.Request); !ok || r.ID.Raw() != "last" {
			t.Errorf("%v", last)
		}
		if gone != 1 {
			t.Errorf("the end was told %d times", gone)
		}
		for line := range strings.Lines(out.String()) {
			if _, err := jsonrpc.DecodeMessage([]byte(line)); err != nil && !strings.Contains(line, `"id":null`) {
				t.Errorf("%q: %v", line, err)
			}
		}
	})
}

func TestPlainSpellsOutWhatATerminalObeys(t *testing.T) {
	for text, want := range map[string]string{
		"a\tb\nc":       "a\tb\nc",
		"a\r\nb\rc":     "a\nb\\rc",
		"\x1b]0;x\x07":  `\u001b]0;x\u0007`,
		"\u202ea\u0085": `\u202ea\u0085`,
		"ünï😀":          "ünï😀",
	} {
		if got := plain(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
