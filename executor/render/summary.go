package render

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

// MaxChars bounds any text in characters, also one that is never cut: with
// every character escaped it must fit into one message.
const MaxChars = 2 << 20

// Ending is how a command ended, as far as the text says.
type Ending struct {
	Command  string
	Sequence bool // of commands: what those before printed is shown after a timeout, too
	TimedOut bool
	Limit    time.Duration
	Code     int    // exit code
	Signal   int    // 0 when it exited
	Name     string // of the signal: "killed"
	Posix    string // of the signal: "SIGKILL"
}

// Wanted says whether there is to be a text at all.
func (s Summary) Wanted() bool { return s.Form != "" && s.Form != SummaryNone }

// complete fills in the form's defaults.
func (s Summary) complete() Summary {
	limit, keep := MaxChars, "headTail"
	switch s.Form {
	case SummaryDenylist:
		limit, keep = 10_000, "head"
	case SummaryLayered:
		limit = 50_000
	}
	if s.MaxChars > 0 {
		limit = min(s.MaxChars, MaxChars)
	}
	if s.Keep != "" {
		keep = s.Keep
	}
	return Summary{Form: s.Form, MaxChars: limit, Keep: keep}
}

// Render makes the text. The outputs are read once, from beginning to end, and only what
// will be shown is held in memory. How the command ended comes after the cut: it must not
// be lost with it.
func (s Summary) Render(e Ending, parts []Section) string {
	s = s.complete()
	if e.TimedOut && !e.Sequence && s.Form != SummaryPlain {
		return s.timeout(e)
	}
	w := newWindow(s)
	for _, p := range parts {
		w.section(p, map[string]string{SummaryDenylist: "STDERR:\n", SummaryLayered: "[stderr]\n"}[s.Form])
	}
	text := w.text()
	last := s.Exit(e)
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

// Section is what one command printed. Absent parts are empty.
type Section struct {
	Title    string // a line
	Out, Err io.Reader
	Last     string // how it ended, where more follows
}

func (w *window) section(p Section, errTitle string) {
	w.line(p.Title)
	if p.Out != nil {
		begin := w.total
		w.copy(p.Out)
		w.copyAfter(errTitle, p.Err, w.total-begin)
	}
	w.line(p.Last)
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

func (s Summary) timeout(e Ending) string {
	if s.Form == SummaryLayered {
		return "Error: Command timed out after " + strconv.FormatFloat(e.Limit.Seconds(), 'f', -1, 64) + "s: " + e.Command
	}
	return "Command timed out after " + e.Limit.String()
}

// Exit is the line about the end, "" for success.
func (s Summary) Exit(e Ending) string {
	switch {
	case e.TimedOut:
		return s.timeout(e)
	case e.Code == 0 && e.Signal == 0:
		return ""
	case s.Form == SummaryLayered && e.Signal != 0:
		return fmt.Sprintf("[exit code: %d]", -e.Signal)
	case s.Form == SummaryLayered:
		return fmt.Sprintf("[exit code: %d]", e.Code)
	case s.Form == SummaryDenylist && e.Signal != 0:
		return "Exit code: signal: " + e.Name
	case s.Form == SummaryDenylist:
		return fmt.Sprintf("Exit code: exit status %d", e.Code)
	case e.Signal != 0:
		return "Signal: " + e.Posix
	}
	return fmt.Sprintf("Exit code: %d", e.Code)
}
