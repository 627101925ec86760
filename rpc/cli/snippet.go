package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pillion-sidecar/pillion/rpc"
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

// snippet shows text with the span underlined, one string a line. Where there
// are several lines each has its number.
func snippet(text string, span rpc.Span, p painter) []string { return show(text, span, chosen, p) }

// excerpt is snippet without the lines around: they have been shown.
func excerpt(text string, span rpc.Span, p painter) []string { return show(text, span, touched, p) }

func show(text string, span rpc.Span, choose func([]string, rpc.Span) []int, p painter) []string {
	span.Start = min(max(span.Start, 0), len(text))
	span.End = min(max(span.End, span.Start+1), len(text))
	lines := strings.Split(text, "\n")
	shown := choose(lines, span)
	number, margin := "", ""
	width := len(strconv.Itoa(len(lines)))
	var out []string
	at := 0
	for i, line := range lines {
		if len(lines) > 1 {
			number = fmt.Sprintf("%*d  ", width, i+1)
			margin = strings.Repeat(" ", len(number))
		}
		switch {
		case slices.Contains(shown, i):
			local := rpc.Span{Start: span.Start - at, End: span.End - at}
			for k, row := range underlined(line, local, p) {
				out = append(out, p.faint([]string{number, margin}[k])+row)
			}
		case slices.Contains(shown, i-1) && i < len(lines)-1 && shown[len(shown)-1] > i:
			out = append(out, margin+"…")
		}
		at += len(line) + 1
	}
	return out
}

// ends are the numbers of the first and the last line of a span.
func ends(lines []string, span rpc.Span) (first, end int) {
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
func touched(lines []string, span rpc.Span) []int {
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
func chosen(lines []string, span rpc.Span) []int {
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

// underlined is one line and, if the span touches it, the line of marks below.
func underlined(line string, span rpc.Span, p painter) []string {
	row := cells(strings.TrimSuffix(line, "\r"))
	if strings.HasSuffix(line, "\r") {
		row = append(row, cell{text: `\r`, width: 2, from: len(line) - 1})
	}
	marked := func(c cell) bool { return c.from >= span.Start && c.from < span.End }
	var text, marks strings.Builder
	hole := false
	for i, keep := range kept(row, marked) {
		c := row[i]
		switch {
		case keep && marked(c):
			text.WriteString(p.bad(c.text))
			marks.WriteString(strings.Repeat("^", c.width))
		case keep:
			text.WriteString(c.text)
			marks.WriteString(strings.Repeat(" ", c.width))
		case !hole:
			text.WriteString(ellipsis)
			marks.WriteString(strings.Repeat(" ", 3))
		}
		hole = !keep
	}
	out := []string{text.String()}
	if m := strings.TrimRight(marks.String(), " "); m != "" {
		out = append(out, p.bad(m))
	}
	return out
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
