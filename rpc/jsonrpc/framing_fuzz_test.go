package jsonrpc

import (
	"bytes"
	"context"
	"io"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/sourcegraph/conc"
	"go.lsp.dev/jsonrpc2"
)

// Whatever bytes an editor sends, in whatever pieces, the reader comes to an end
// without a panic, each request among them is answered exactly once and in turn,
// and what is sent can be read.
func FuzzFraming(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`, `[]`, `{`, "\xff", `{"jsonrpc":"2.0","method":"exit"}`,
		`{"jsonrpc":"2.0","id":"a","id":"b","method":"x"}`, strings.Repeat("[", 100), `{"jsonrpc":"2.0","id":1,"result":null}`,
		`{"jsonrpc":"2.0","id":"big","method":"x","params":["` + strings.Repeat("x", fuzzLimit) + `"]}`, "", " \t",
		`{"jsonrpc":"2.0","id":1.0,"method":"x"}`, `{"jsonrpc":"2.0","id":"\u0041\n","method":"x"}`,
	} {
		next := `{"jsonrpc":"2.0","id":-7,"method":"server/status"}`
		f.Add([]byte(headed(seed)+headed(next)), false, byte(7))
		f.Add([]byte(seed+"\r\n\n"+next+"\n"), true, byte(7))
	}
	for _, seed := range []string{
		"Content-Length: 5\r\nContent-Length: 6\r\n\r\n{}", "Content-Length: 99999999999999999999\r\n\r\n", "\r\n\r\n", "x",
		"Content-Type: a/b; charset=utf-16\r\nContent-Length: 2\r\n\r\n{}" + headed("{}"),
	} {
		f.Add([]byte(seed), false, byte(0))
		f.Add([]byte(seed), true, byte(0))
	}
	f.Fuzz(func(t *testing.T, in []byte, lines bool, step byte) {
		framing, sent, whole := FramingHeader, [][]byte(nil), false
		if lines {
			framing = FramingLines
			sent, whole = bodiesOfLines(in), true
		} else {
			sent, whole = bodiesOfHeaders(in)
		}
		got := answersTo(t, framing, in, int(step)+1)
		want := wanted(t, sent)
		if len(got) < len(want) || whole && len(got) > len(want) {
			t.Fatalf("%d answers to %d requests: %q", len(got), len(want), got)
		}
		for i, id := range want {
			if id != "" && id != got[i] {
				t.Fatalf("answer %d is for %s, want %s", i, got[i], id)
			}
		}
	})
}

func headed(body string) string {
	return "Content-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n" + body
}

// answersTo serves a client that sends in and reads everything. It returns the ids
// of the answers.
func answersTo(t *testing.T, framing Framing, in []byte, step int) (ids []string) {
	t.Helper()
	hang := time.AfterFunc(20*time.Second, func() { panic("the reader hangs") })
	defer hang.Stop()
	var out bytes.Buffer
	w := NewWriter(&out, framing, func(error) {})
	s := testStream(&steps{bytes.NewReader(in), step}, w)
	s.LetGo()
	var writing conc.WaitGroup
	writing.Go(w.Run)
	for {
		msg, _, err := s.Read(context.Background())
		if err != nil {
			break
		}
		if _, err := jsonrpc2.DecodeMessage(jsonrpc2.AppendMessage(nil, msg)); err != nil {
			t.Fatalf("a message the library can't take: %v", err)
		}
		if c, ok := msg.(*jsonrpc2.Call); ok {
			_, _ = s.Write(context.Background(), jsonrpc2.NewResponse(c.ID(), []byte("{\n}"), nil))
		}
	}
	w.Close()
	writing.Wait()
	for p := framing.Packets(&out, 1<<20); ; {
		m, err := p.Next()
		if err == io.EOF {
			return ids
		}
		var a struct {
			ID     jsontext.Value `json:"id"`
			Method string         `json:"method"`
		}
		if err != nil || json.Unmarshal(m.Body, &a) != nil || a.Method != "" {
			t.Fatalf("sent what is no answer: %q, %v", m.Body, err)
		}
		ids = append(ids, canonical(a.ID))
	}
}

// steps hands out a few bytes at a time.
type steps struct {
	r *bytes.Reader
	n int
}

func (s *steps) Read(b []byte) (int, error) { return s.r.Read(b[:min(s.n, len(b))]) }

// bodiesOfLines are the messages among lines.
func bodiesOfLines(in []byte) (out [][]byte) {
	whole := bytes.Split(in, []byte("\n"))
	for _, line := range whole[:len(whole)-1] { // the last one has no end
		if line = bytes.TrimSuffix(line, []byte("\r")); len(bytes.Trim(line, " \t\r")) > 0 || len(line) > fuzzLimit {
			out = append(out, line)
		}
	}
	return out
}

// bodiesOfHeaders are the messages up to the first header that is not plain. whole
// means that there is nothing else.
func bodiesOfHeaders(in []byte) (out [][]byte, whole bool) {
	for len(in) > 0 {
		rest, plain := bytes.CutPrefix(in, []byte("Content-Length: "))
		digits, rest, found := bytes.Cut(rest, []byte("\r\n\r\n"))
		n, err := strconv.ParseUint(string(digits), 10, 31)
		if !plain || !found || err != nil || n > uint64(len(rest)) || len(digits) > 12 {
			return out, false
		}
		out, in = append(out, rest[:n]), rest[n:]
	}
	return out, true
}

// wanted are the ids of the answers to bodies, "" where any will do.
func wanted(t *testing.T, bodies [][]byte) (ids []string) {
	t.Helper()
	for _, body := range bodies {
		id, request := wellFormed(body)
		msg, _, fault := decodeMessage(body)
		_, call := msg.(*jsonrpc2.Call)
		switch {
		case len(body) > fuzzLimit:
			ids = append(ids, "")
		case request && !call:
			t.Fatalf("a request is refused: %q: %v", body, fault)
		case request:
			ids = append(ids, id)
		case call || fault != nil:
			ids = append(ids, "")
		}
	}
	return ids
}

// wellFormed is what nobody may refuse, told by other code than ours.
func wellFormed(body []byte) (id string, ok bool) {
	var m struct {
		JSONRPC string         `json:"jsonrpc"`
		ID      jsontext.Value `json:"id"`
		Method  string         `json:"method"`
		Params  map[string]any `json:"params"`
	}
	if json.Unmarshal(body, &m, json.RejectUnknownMembers(true)) != nil || m.JSONRPC != "2.0" || m.Method == "" {
		return "", false
	}
	if _, err := strconv.ParseInt(string(m.ID), 10, 64); err != nil && m.ID.Kind() != '"' {
		return "", false
	}
	return canonical(m.ID), bytes.Count(body, []byte("["))+bytes.Count(body, []byte("{")) <= maxDepth
}

// canonical is the one way of many to write an id.
func canonical(id jsontext.Value) string {
	if v := id.Clone(); v.Canonicalize() == nil && id.Kind() == '"' {
		return string(v)
	}
	return string(id)
}
