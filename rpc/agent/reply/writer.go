package reply

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Budget is how much of an output is written, in characters; a zero one has no end.
type Budget struct{ Head, Failing, Tail int }

// Standard is what a model is given of one command.
var Standard = Budget{Head: 4_000, Failing: 5_000, Tail: 5_000}

// Of divides chars as the standard budget does.
func Of(chars int) Budget {
	return Budget{Head: chars * 2 / 7, Failing: chars * 5 / 14, Tail: chars - chars*2/7 - chars*5/14}
}

// Writer renders an output. The beginning is written at once, the rest by Close.
type Writer struct {
	out    io.Writer
	budget Budget
	how    func(span) string // says how to read what is missing
	err    error

	screen  screen
	shown   int
	folding fold
	over    bool // the head is full
	gap     gap
	kept    []string // failing lines and gaps, in order
	failed  int      // characters of those
	near    int      // lines after a failing one that are kept with it
	tail    []piece
	ending  int // characters of the tail
	told    bool
}

type piece struct {
	text string
	at   span
}

// gap is a run of lines that is not shown.
type gap struct {
	lines int
	at    span
}

// NewWriter writes to out. read names the command that shows bytes [from, to) of the
// output, "" where there is none.
func NewWriter(out io.Writer, b Budget, read func(from, to int64) string) *Writer {
	w := &Writer{out: out, budget: b, how: func(s span) string { return read(s.from, s.to) }}
	w.screen.emit = w.line
	w.folding.emit = w.piece
	return w
}

// Text is an output as a whole.
func Text(output string, b Budget, read func(from, to int64) string) string {
	var text strings.Builder
	w := NewWriter(&text, b, read)
	_, _ = w.Write([]byte(output))
	_ = w.Close()
	return text.String()
}

func (w *Writer) Write(p []byte) (int, error) {
	w.screen.write(p)
	return len(p), w.err
}

// Close writes what was held back.
func (w *Writer) Close() error {
	w.screen.close()
	w.folding.flush()
	for _, k := range w.kept {
		w.print(k)
	}
	if w.gap.lines > 0 {
		w.print(w.missing(w.gap))
	}
	for _, p := range w.tail {
		w.print(p.text)
	}
	return w.err
}

// Cut reports that something was left out that is not folded.
func (w *Writer) Cut() bool { return w.told || w.gap.lines > 0 }

// Offset is how many bytes were written.
func (w *Writer) Offset() int64 { return w.screen.offset }

func (w *Writer) line(text string, at span) {
	text = strings.TrimRight(text, " \t")
	// Only pillion writes lines with pillion's mark.
	if strings.HasPrefix(text, "[pillion") || strings.HasPrefix(text, "pillion:") {
		text = "| " + text
	}
	w.folding.line(text, at)
}

// piece takes a line that is left after folding.
func (w *Writer) piece(p piece) {
	n := utf8.RuneCountInString(p.text) + 1
	if !w.over && (w.budget == Budget{} || w.shown+n <= w.budget.Head) {
		w.shown += n
		w.print(p.text)
		return
	}
	w.over = true
	w.tail = append(w.tail, p)
	for w.ending += n; w.ending > w.budget.Tail && len(w.tail) > 1; {
		w.middle(w.tail[0])
		w.ending -= utf8.RuneCountInString(w.tail[0].text) + 1
		w.tail = w.tail[1:]
	}
}

// middle takes a line that is neither in the head nor in the tail.
func (w *Writer) middle(p piece) {
	n := utf8.RuneCountInString(p.text) + 1
	if failing(p.text) {
		w.near = 3
	}
	if w.near == 0 || w.failed+n > w.budget.Failing {
		if w.gap.lines == 0 {
			w.gap.at = p.at
		}
		w.gap.lines, w.gap.at.to = w.gap.lines+1, p.at.to
		return
	}
	w.near--
	if w.gap.lines > 0 {
		w.kept = append(w.kept, w.missing(w.gap))
		w.gap = gap{}
	}
	w.kept, w.failed = append(w.kept, p.text), w.failed+n
}

// missing names a gap. How to read it is shown once.
func (w *Writer) missing(g gap) string {
	text := fmt.Sprintf("[pillion: %d lines left out, bytes %d-%d", g.lines, g.at.from, g.at.to)
	if how := w.how(g.at); !w.told && how != "" {
		text += "; to read them: " + how
	}
	w.told = true
	return text + "]"
}

func (w *Writer) print(line string) {
	if w.err == nil {
		_, w.err = io.WriteString(w.out, line+"\n")
	}
}
