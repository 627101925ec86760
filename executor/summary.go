package executor

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// Summary asks for one text of a command's whole output, for a model or a person
// to read.
type Summary struct {
	Form     string // one of the forms, "" or "none" for no text
	MaxChars int    // characters of output before it is cut, 0 is the form's default
	Keep     string // "head", or "headTail": the cut is in the middle; "" is the form's default
}

// The forms.
const (
	SummaryDenylist = "denylist" // STDERR:, Exit code: exit status N
	SummaryLayered  = "layered"  // [stderr], [exit code: N]
	SummaryPlain    = "plain"    // the output, the exit code if it is not zero, never cut
	SummaryNone     = "none"
)

// maxSummary bounds any text in characters, also one that is never cut: with
// every character escaped it must fit into one message.
const maxSummary = 2 << 20

// ending is how a command ended, as far as the text says.
type ending struct {
	command  string
	sequence bool // of commands: what those before printed is shown after a timeout, too
	timedOut bool
	limit    time.Duration
	code     int    // exit code
	signal   int    // 0 when it exited
	name     string // of the signal: "killed"
	posix    string // of the signal: "SIGKILL"
}

func (s Summary) wanted() bool { return s.Form != "" && s.Form != SummaryNone }

// complete fills in the form's defaults.
func (s Summary) complete() Summary {
	limit, keep := maxSummary, "headTail"
	switch s.Form {
	case SummaryDenylist:
		limit, keep = 10_000, "head"
	case SummaryLayered:
		limit = 50_000
	}
	if s.MaxChars > 0 {
		limit = min(s.MaxChars, maxSummary)
	}
	if s.Keep != "" {
		keep = s.Keep
	}
	return Summary{Form: s.Form, MaxChars: limit, Keep: keep}
}

// render makes the text. The outputs are read once, from beginning to end, and
// only what will be shown is held in memory. How the command ended stands after
// the cut: it must not be lost with it.
func (s Summary) render(e ending, parts []section) string {
	s = s.complete()
	if e.timedOut && !e.sequence && s.Form != SummaryPlain {
		return s.timeout(e)
	}
	w := newWindow(s)
	for _, p := range parts {
		w.section(p, map[string]string{SummaryDenylist: "STDERR:\n", SummaryLayered: "[stderr]\n"}[s.Form])
	}
	text := w.text()
	last := s.exit(e)
	switch {
	case last == "" && w.total == 0:
		return "(no output)"
	case last == "":
		return text
	case text != "" && !strings.HasSuffix(text, "\n"):
		text += "\n"
	}
	return text + last
}

// section is what one command printed. Absent parts are empty.
type section struct {
	title    string // a line
	out, err io.Reader
	last     string // how it ended, where more follows
}

func (w *window) section(p section, errTitle string) {
	w.line(p.title)
	if p.out != nil {
		begin := w.total
		w.copy(p.out)
		w.copyAfter(errTitle, p.err, w.total-begin)
	}
	w.line(p.last)
}

// line adds text that begins a line.
func (w *window) line(text string) {
	if text == "" {
		return
	}
	if w.total > 0 && w.last != '\n' {
		w.add([]byte("\n"))
	}
	w.add([]byte(text))
}

func (s Summary) timeout(e ending) string {
	if s.Form == SummaryLayered {
		return "Error: Command timed out after " + strconv.FormatFloat(e.limit.Seconds(), 'f', -1, 64) + "s: " + e.command
	}
	return "Command timed out after " + e.limit.String()
}

// exit is the line about the end, "" for success.
func (s Summary) exit(e ending) string {
	switch {
	case e.timedOut:
		return s.timeout(e)
	case e.code == 0 && e.signal == 0:
		return ""
	case s.Form == SummaryLayered && e.signal != 0:
		return fmt.Sprintf("[exit code: %d]", -e.signal)
	case s.Form == SummaryLayered:
		return fmt.Sprintf("[exit code: %d]", e.code)
	case s.Form == SummaryDenylist && e.signal != 0:
		return "Exit code: signal: " + e.name
	case s.Form == SummaryDenylist:
		return fmt.Sprintf("Exit code: exit status %d", e.code)
	case e.signal != 0:
		return "Signal: " + e.posix
	}
	return fmt.Sprintf("Exit code: %d", e.code)
}
