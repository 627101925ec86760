package replay

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/pillion-sidecar/pillion/rpc/jsonrpc"
)

// fake is a sidecar that says what a table tells it to: the runner must be
// trusted before what it runs can be. "$ID" in an answer is the request's id.
type fake map[string][]string

const okInit = `{"jsonrpc":"2.0","id":$ID,"result":{"capabilities":{"sandbox":{"modes":{"read-only":{"available":true}}}}}}`

func (f fake) start(Dirs, jsonrpc.Framing) (*Peer, error) { return pipePeer(f.serve) }

func (f fake) serve(_ context.Context, in io.Reader, out io.Writer, log io.Writer) int {
	r, code := bufio.NewReader(in), 1
	fmt.Fprintln(log, "fake sidecar")
	for {
		body, err := readFrame(r, 1<<20)
		if err != nil {
			return code
		}
		m, err := decodeMessage(body)
		if err != nil {
			return 3
		}
		switch m.Method {
		case "exit":
			return code
		case "shutdown":
			code = 0
		}
		for _, answer := range f.answers(m) {
			if _, err := out.Write(appendFrame(nil, []byte(answer))); err != nil {
				return 1
			}
		}
	}
}

func (f fake) answers(m *Message) (out []string) {
	list, known := f[m.Method]
	switch {
	case known:
	case m.Method == "initialize":
		list = []string{okInit}
	case m.Method == "shutdown":
		list = []string{`{"jsonrpc":"2.0","id":$ID,"result":null}`}
	}
	for _, a := range list {
		out = append(out, strings.ReplaceAll(a, "$ID", string(m.ID)))
	}
	return out
}

// event is a $/progress frame on the token "t".
func eventFrame(value string) string {
	return `{"jsonrpc":"2.0","method":"$/progress","params":{"token":"t","value":` + value + `}}`
}

// execAnswer streams "hello" in two chunks and ends.
var execAnswer = []string{
	eventFrame(`{"type":"started","execId":"a","pid":999999999,"startedAt":"2026-01-01T00:00:00Z"}`),
	eventFrame(`{"type":"output","seq":0,"stream":"stdout","offset":0,"length":2,"text":"he"}`),
	eventFrame(`{"type":"output","seq":1,"stream":"stdout","offset":2,"length":3,"data":"bGxv"}`),
	`{"jsonrpc":"2.0","id":$ID,"result":{"execId":"a","pid":999999999,"exitCode":0,"output":{"stdout":{"totalBytes":5,"streamedBytes":5}}}}`,
}

func play(t *testing.T, f fake, file, text string, update bool) error {
	t.Helper()
	s, err := Parse(file, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return Run(t.Context(), s, Options{Start: f.start, Root: t.TempDir(), Update: update})
}
