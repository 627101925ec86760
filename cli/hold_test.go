package cli

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/creack/pty"
	"github.com/go-json-experiment/json"

	"github.com/pillion-sidecar/pillion/rpc/client"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

// A command could clear a question away and print another one in its place.
func TestNothingIsPrintedBelowAQuestion(t *testing.T) {
	var out bytes.Buffer
	s := newShower(Command{Stdout: &out, Stderr: &out})
	event := func(text string) client.Event { return printed(t, "stdout", text) }
	s.event(event("before\n"))
	s.quiet(true)
	s.event(event("meanwhile\n"))
	s.event(event(strings.Repeat("x", maxHeld) + "\n"))
	if out.String() != "before\n" {
		t.Errorf("shown: %.80q", out.String())
	}
	done := make(chan struct{})
	go func() { // it waits, for what is held is bounded
		defer close(done)
		s.event(event("last\n"))
	}()
	s.quiet(false)
	<-done
	if got := out.String(); !strings.HasPrefix(got, "before\nmeanwhile\nxx") || !strings.HasSuffix(got, "x\nlast\n") {
		t.Errorf("shown: %.40q", got)
	}
}

// printed is the event of an output.
func printed(t *testing.T, stream, text string) client.Event {
	t.Helper()
	raw := fmt.Sprintf(`{"type":"output","stream":%q,"encoding":"base64","data":%q}`, stream, base64.StdEncoding.EncodeToString([]byte(text)))
	var e client.Event
	if err := json.Unmarshal([]byte(raw), &e); err != nil {
		t.Fatal(err)
	}
	e.Raw = []byte(raw)
	return e
}

// A command could conceal the question about it, or have it written over other text, below
// a harmless one of its own.
func TestWhatWeSayIsShownWhateverWasPrinted(t *testing.T) {
	asked := protocol.ApprovalParams{Display: []protocol.DisplayLine{{Text: "Connect to x.example?"}}}
	says := map[string]func(*shower){
		"a question":          func(s *shower) { (&asker{show: s}).put(asked) },
		"a question about it": func(s *shower) { (&asker{show: s}).ask("pillion: run it again? ") },
		"a note":              func(s *shower) { s.note("port %d", 8080) },
		"a refusal":           func(s *shower) { s.lines([]protocol.DisplayLine{{Text: "refused: x"}}) },
		"a failure":           func(s *shower) { s.failed(errors.New("no")) },
		"a gap":               func(s *shower) { s.put(client.Event{Type: "gap"}) },
		"an end":              func(s *shower) { s.finished([]byte(`{"reason":"exited","exitCode":0}`)) },
	}
	for left, lead := range map[string]string{
		"\x1b[8;30;40m":       "\x1b[0m",
		"half":                "half\r\n",
		"\x1b[31mred":         "red\x1b[0m\r\n",
		"a\nb\n\x1b[2A":       "\x1b[2A\r\n\x1b[J",
		"no end: \x1b]0;\x1b": "no end: \r\n",
	} {
		for _, stream := range []string{"stdout", "stderr"} {
			for what, say := range says {
				ours, tty, err := pty.Open()
				if err != nil {
					t.Fatal(err)
				}
				s := newShower(Command{Stdout: tty, Stderr: tty})
				s.event(printed(t, stream, left))
				say(s)
				_ = tty.Close()
				shown, _ := io.ReadAll(ours) // EIO at its end
				_ = ours.Close()
				if before, _, found := strings.Cut(string(shown), "pillion: "); !found || !strings.HasSuffix(before, lead) {
					t.Errorf("%s after %q on %s: %q", what, left, stream, shown)
				}
			}
		}
	}
}
