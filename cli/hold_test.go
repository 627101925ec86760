package cli

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/pillion-sidecar/pillion/rpc/client"
)

// A command could clear a question away and print another one in its place.
func TestNothingIsPrintedBelowAQuestion(t *testing.T) {
	var out bytes.Buffer
	s := newShower(Command{Stdout: &out, Stderr: &out})
	event := func(text string) client.Event {
		raw := fmt.Sprintf(`{"type":"output","stream":"stdout","encoding":"base64","data":%q}`, base64.StdEncoding.EncodeToString([]byte(text)))
		var e client.Event
		if err := json.Unmarshal([]byte(raw), &e); err != nil {
			t.Fatal(err)
		}
		e.Raw = []byte(raw)
		return e
	}
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
