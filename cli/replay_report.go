package cli

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/pillion-sidecar/pillion/cli/terminal"
	"github.com/pillion-sidecar/pillion/rpc/display"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
	"github.com/pillion-sidecar/pillion/rpc/replay"
)

// replayReport shows how conversations went.
type replayReport struct {
	p *program
	f *replayFlags

	passed, failed, skipped int
}

// replayed is one conversation as --json prints it.
type replayed struct {
	Type       string   `json:"type"` // "scenario"
	File       string   `json:"file"`
	Title      string   `json:"title"`
	Framing    string   `json:"framing"`
	Status     string   `json:"status"` // "passed", "failed", "skipped"
	Reason     string   `json:"reason,omitzero"`
	Line       int      `json:"line,omitzero"` // of the statement that did not hold
	Expected   string   `json:"expected,omitzero"`
	Got        string   `json:"got,omitzero"`
	Frames     []string `json:"frames,omitempty"` // the last ones, oldest first
	Stderr     string   `json:"stderr,omitzero"`
	DurationMs int64    `json:"durationMs"`
}

// replayTotal is the last line of --json.
type replayTotal struct {
	Type    string `json:"type"` // "summary"
	Passed  int    `json:"passed"`
	Failed  int    `json:"failed"`
	Skipped int    `json:"skipped"`
}

// replayMessage is a message as --json --verbose prints it.
type replayMessage struct {
	Type string `json:"type"` // "message"
	File string `json:"file"`
	Text string `json:"text"` // as a script has it
}

// trace shows the messages, if that is wanted.
func (r *replayReport) trace(s *replay.Scenario) func(sent bool, body []byte) {
	if !r.f.verbose {
		return nil
	}
	return func(sent bool, body []byte) {
		line := replay.Line(sent, body)
		if r.f.json {
			_ = terminal.WriteJSON(r.p.stdout, replayMessage{"message", s.File, line}) // the result's own write says it
			return
		}
		_ = r.p.print("  " + line + "\n")
	}
}

// told prints how a conversation went.
func (r *replayReport) told(s *replay.Scenario, err error, took time.Duration) error {
	out := replayed{
		Type: "scenario", File: s.File, Title: strings.Join(strings.Fields(s.Title), " "),
		Framing: string(r.f.framing), Status: "passed", DurationMs: took.Milliseconds(),
	}
	var unmet *replay.Unmet
	var failure *replay.Failure
	switch {
	case errors.As(err, &unmet) && !r.f.strict:
		out.Status, out.Reason = "skipped", err.Error()
		r.skipped++
	case err != nil:
		out.Status, out.Reason = "failed", err.Error()
		r.failed++
	default:
		r.passed++
	}
	if errors.As(err, &failure) {
		out.Reason, out.Line, out.Expected, out.Got = "", failure.Line, failure.Want, failure.Got
		out.Frames, out.Stderr = failure.Frames, failure.Stderr
	}
	if r.f.json {
		return terminal.WriteJSON(r.p.stdout, out)
	}
	return r.p.print(out.text(r.p.painter(r.p.stdout)))
}

// text is a conversation for a person. What is in it was written by others.
func (o replayed) text(p terminal.Painter) string {
	var b strings.Builder
	place := o.File
	if o.Line > 0 {
		place = fmt.Sprintf("%s:%d", o.File, o.Line)
	}
	word := map[string]string{"passed": p.Tone(protocol.ToneOK, "ok  "), "failed": p.Bad("FAIL"), "skipped": p.Tone(protocol.ToneWarn, "skip")}[o.Status]
	fmt.Fprintf(&b, "%s  %s  %s\n", word, display.Spelled(place), display.Spelled(cmp.Or(o.Reason, o.Title))+p.Faint(" · "+display.Millis(o.DurationMs)))
	if o.Status != "failed" || o.Reason != "" {
		return b.String()
	}
	parts := append([]string{"expected  " + o.Expected, "got       " + o.Got}, o.Frames...)
	if o.Stderr != "" {
		parts = append(parts, "stderr    "+o.Stderr)
	}
	for _, part := range parts {
		first, rest, _ := strings.Cut(strings.TrimRight(part, "\n"), "\n")
		fmt.Fprintf(&b, "      %s\n", display.Spelled(first))
		for line := range strings.Lines(rest) {
			fmt.Fprintf(&b, "                %s\n", display.Spelled(strings.TrimRight(line, "\n")))
		}
	}
	return b.String()
}

func (r *replayReport) code() int {
	if r.failed > 0 {
		return 1
	}
	return 0
}

func (r *replayReport) summary() error {
	if r.f.json {
		return terminal.WriteJSON(r.p.stdout, replayTotal{"summary", r.passed, r.failed, r.skipped})
	}
	return r.p.print(fmt.Sprintf("%d held, %d failed, %d can't be held here\n", r.passed, r.failed, r.skipped))
}
