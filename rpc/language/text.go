package language

import (
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/pillion-sidecar/pillion/config"
)

// text is a file as an editor counts it: in lines, which end with \n, \r\n or \r, and
// UTF-16 units. Everything else here counts bytes.
type text struct {
	s      string
	starts []int // of the lines
}

func newText(s string) text {
	t := text{s, []int{0}}
	for i := range len(s) {
		if s[i] == '\n' || s[i] == '\r' && !strings.HasPrefix(s[i+1:], "\n") {
			t.starts = append(t.starts, i+1)
		}
	}
	return t
}

// line is the number of the line that an offset is in, and the bytes it has without its
// end.
func (t text) line(offset int) (n int, in config.Span) {
	n, exact := slices.BinarySearch(t.starts, offset)
	if !exact {
		n--
	}
	return n, t.bounds(n)
}

func (t text) bounds(n int) config.Span {
	to := len(t.s)
	if n+1 < len(t.starts) {
		to = t.starts[n+1]
	}
	from := t.starts[n]
	return config.Span{From: from, To: from + len(strings.TrimRight(t.s[from:to], "\r\n"))}
}

func (t text) position(offset int) position {
	offset = min(max(offset, 0), len(t.s))
	n, in := t.line(offset)
	offset = min(offset, in.To)
	for offset < len(t.s) && !utf8.RuneStart(t.s[offset]) {
		offset--
	}
	units := 0
	for _, r := range t.s[in.From:offset] {
		units += utf16.RuneLen(r)
	}
	return position{n, units}
}

// offset takes any position; one that is not in the text stands for the nearest that is.
func (t text) offset(p position) int {
	if p.Line >= len(t.starts) {
		return len(t.s)
	}
	in := t.bounds(max(p.Line, 0))
	units := 0
	for i, r := range t.s[in.From:in.To] {
		if units += utf16.RuneLen(r); units > p.Character {
			return in.From + i
		}
	}
	return in.To
}

func (t text) span(s config.Span) span { return span{t.position(s.From), t.position(s.To)} }
