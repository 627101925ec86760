package display

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pillion-sidecar/pillion/guard/unseen"
)

// cell is what one character of a text takes on a screen.
type cell struct {
	text  string // as shown
	width int    // columns
	from  int    // byte offset in the text
}

// tabStop is where a tab leads: it is shown as blanks, because the terminal's own
// stops would shift what is written below it.
const tabStop = 4

// maxMarks is how many combining marks one character may carry; more would pile
// up over the lines around it.
const maxMarks = 2

// cells lays out one line. Whatever could make it look like another line is
// spelled out: controls, invisible and text-direction characters, stray bytes.
func cells(line string) []cell {
	out := make([]cell, 0, len(line))
	column, marks := 0, 0
	for i := 0; i < len(line); {
		r, n := utf8.DecodeRuneInString(line[i:])
		c := cell{text: line[i : i+n], width: 1, from: i}
		mark := unicode.In(r, unicode.Mn, unicode.Me) && !unicode.Is(unicode.Variation_Selector, r)
		switch {
		case r == utf8.RuneError && n == 1:
			c.text = fmt.Sprintf(`\x%02x`, line[i])
		case r == '\t':
			c.text = strings.Repeat(" ", tabStop-column%tabStop)
		case mark && marks < maxMarks && i > 0:
			c.width = 0
		case mark || unseen.Hidden(r):
			c.text = unseen.Spelled(r)
		case unicode.Is(wide, r):
			c.width = 2
		}
		if marks++; !mark {
			marks = 0
		}
		if c.width == 1 {
			c.width = utf8.RuneCountInString(c.text)
		}
		column += c.width
		out = append(out, c)
		i += n
	}
	return out
}

// Width is how many columns of a screen a text takes.
func Width(text string) (columns int) {
	for _, c := range cells(text) {
		columns += c.width
	}
	return columns
}

// wide are the characters that terminals show in two columns: East Asian Wide
// and Fullwidth of Unicode's UAX 11, which holds emoji too, in whole blocks. A
// library of all exceptions would be larger than the rest of this package.
var wide = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x1100, 0x115f, 1},
		{0x231a, 0x231b, 1},
		{0x23e9, 0x23ec, 1},
		{0x2614, 0x2615, 1},
		{0x26a1, 0x26a1, 1},
		{0x26aa, 0x26ab, 1},
		{0x26bd, 0x26be, 1},
		{0x26d4, 0x26d4, 1},
		{0x2705, 0x2705, 1},
		{0x270a, 0x270b, 1},
		{0x2728, 0x2728, 1},
		{0x274c, 0x274c, 1},
		{0x274e, 0x274e, 1},
		{0x2753, 0x2755, 1},
		{0x2757, 0x2757, 1},
		{0x2795, 0x2797, 1},
		{0x2b1b, 0x2b1c, 1},
		{0x2b50, 0x2b50, 1},
		{0x2b55, 0x2b55, 1},
		{0x2e80, 0x303e, 1},
		{0x3041, 0x33ff, 1},
		{0x3400, 0x4dbf, 1},
		{0x4e00, 0xa4cf, 1},
		{0xa960, 0xa97f, 1},
		{0xac00, 0xd7a3, 1},
		{0xf900, 0xfaff, 1},
		{0xfe30, 0xfe6f, 1},
		{0xff00, 0xff60, 1},
		{0xffe0, 0xffe6, 1},
	},
	R32: []unicode.Range32{
		{0x16fe0, 0x18aff, 1},
		{0x1b000, 0x1b2ff, 1},
		{0x1f004, 0x1f004, 1},
		{0x1f0cf, 0x1f0cf, 1},
		{0x1f18e, 0x1f18e, 1},
		{0x1f191, 0x1f19a, 1},
		{0x1f200, 0x1f320, 1},
		{0x1f32d, 0x1f64f, 1},
		{0x1f680, 0x1f6fc, 1},
		{0x1f7e0, 0x1f7eb, 1},
		{0x1f90c, 0x1f9ff, 1},
		{0x1fa70, 0x1faff, 1},
		{0x20000, 0x3fffd, 1},
	},
}
