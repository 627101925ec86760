package display

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

// What is kept of a line that is longer than maxWidth: its head, both ends of
// the span with something around them, and its tail, where "| sh" would hide.
// The sum, with an ellipsis for each hole, is at most maxWidth.
const (
	maxWidth   = 67
	headWidth  = 7
	aroundSpan = 7
	insideSpan = 10
	tailWidth  = 16
	ellipsis   = " … "
)

// maxLines of a text are shown whole; of a longer one the first, the last, and
// those around the ends of the span.
const maxLines = 6

// Indent is where a command begins in its line.
const Indent = "    "

// snippet shows text with the span marked. Where there are several lines each has its
// number.
func snippet(text string, span protocol.Span) []protocol.DisplayLine {
	return show(text, span, chosen)
}

// excerpt is snippet without the lines around: they have been shown.
func excerpt(text string, span protocol.Span) []protocol.DisplayLine {
	return show(text, span, touched)
}

func show(text string, span protocol.Span, choose func([]string, protocol.Span) []int) []protocol.DisplayLine {
	span.Start = min(max(span.Start, 0), len(text))
	span.End = min(max(span.End, span.Start+1), len(text))
	lines := strings.Split(text, "\n")
	shown := choose(lines, span)
	width := len(strconv.Itoa(len(lines)))
	var out []protocol.DisplayLine
	at := 0
	for i, line := range lines {
		number, margin := "", ""
		if len(lines) > 1 {
			number = fmt.Sprintf("%*d  ", width, i+1)
			margin = strings.Repeat(" ", len(number))
		}
		switch {
		case slices.Contains(shown, i):
			out = append(out, marked(number, line, []protocol.Span{{Start: span.Start - at, End: span.End - at}}, true))
		case slices.Contains(shown, i-1) && i < len(lines)-1 && shown[len(shown)-1] > i:
			out = append(out, pieces(protocol.ToneDim, protocol.DisplaySpan{Text: Indent + margin + "…", Tone: protocol.ToneDim}))
		}
		at += len(line) + 1
	}
	return out
}

// ends are the numbers of the first and the last line of a span.
func ends(lines []string, span protocol.Span) (first, end int) {
	end, at := len(lines)-1, 0
	for i, line := range lines {
		if span.Start >= at {
			first = i
		}
		if span.End > at {
			end = i
		}
		at += len(line) + 1
	}
	return first, end
}

// touched are the lines of the span, without the middle of a long one.
func touched(lines []string, span protocol.Span) []int {
	first, end := ends(lines, span)
	var out []int
	for i := first; i <= end; i++ {
		if i-first < maxLines/2 || end-i < 2 {
			out = append(out, i)
		}
	}
	return out
}

// chosen are the numbers of the lines to show.
func chosen(lines []string, span protocol.Span) []int {
	last := len(lines) - 1
	first, end := ends(lines, span)
	if last < maxLines {
		first, end = 0, last
	}
	var out []int
	for i := range lines {
		inside := i >= first && i <= end
		if i == 0 || i == last || inside && (i-first < maxLines/2 || end-i < 2 || last < maxLines) {
			out = append(out, i)
		}
	}
	return out
}

// marked is one line of a command with what is meant of it. It is cut where it is long,
// unless every character counts.
func marked(number, text string, spans []protocol.Span, cut bool) protocol.DisplayLine {
	row := cells(strings.TrimSuffix(text, "\r"))
	if strings.HasSuffix(text, "\r") {
		row = append(row, cell{text: `\r`, width: 2, from: len(text) - 1})
	}
	meant := func(c cell) bool {
		return slices.ContainsFunc(spans, func(s protocol.Span) bool { return c.from >= s.Start && c.from < s.End })
	}
	keep := make([]bool, len(row))
	for i := range keep {
		keep[i] = true
	}
	if cut {
		keep = kept(row, meant)
	}
	out := []protocol.DisplaySpan{{Text: Indent + number, Tone: protocol.ToneDim}}
	add := func(text string, tone protocol.Tone) {
		if last := &out[len(out)-1]; last.Tone == tone {
			last.Text += text
			return
		}
		out = append(out, protocol.DisplaySpan{Text: text, Tone: tone})
	}
	hole := false
	for i, c := range row {
		switch {
		case keep[i] && meant(c):
			add(c.text, protocol.TonePlace)
		case keep[i]:
			add(c.text, protocol.ToneCommand)
		case !hole:
			add(ellipsis, protocol.ToneDim)
		}
		hole = !keep[i]
	}
	return pieces(protocol.ToneCommand, out...)
}

// kept says which cells of a row are shown.
func kept(row []cell, marked func(cell) bool) []bool {
	columns := make([]int, len(row)+1) // where each cell begins
	for i, c := range row {
		columns[i+1] = columns[i] + c.width
	}
	total := columns[len(row)]
	first, last := slices.IndexFunc(row, marked), -1
	for i, c := range row {
		if marked(c) {
			last = i
		}
	}
	near := func(column, before, after, at int) bool { return at >= column-before && at < column+after }
	keep := make([]bool, len(row))
	for i := range row {
		at := columns[i]
		keep[i] = total <= maxWidth || at < headWidth || at >= total-tailWidth ||
			first >= 0 && (near(columns[first], aroundSpan, insideSpan, at) || near(columns[last+1], insideSpan, aroundSpan, at))
	}
	return keep
}
