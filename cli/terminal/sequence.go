package terminal

import (
	"bytes"
	"unicode/utf8"
)

// The states of a screen.
const (
	inText   = iota
	inEscape // after ESC
	inCSI    // after ESC [ or U+009B
	inString // OSC, DCS, APC, PM, SOS: up to its terminator
	inStringEscape
)

const (
	// maxCSI is longer than any sequence of colours or movement; what goes on
	// beyond it is shown as text.
	maxCSI = 64
	// maxDigits of one parameter: no screen has more rows or columns, and
	// terminals have looped or overflowed on more.
	maxDigits = 4
)

func (s *screen) next(r rune) {
	switch s.state {
	case inEscape:
		s.escape(r)
	case inCSI:
		s.csi(r)
	case inString:
		switch r {
		case '\a', 0x9c, 0x18, 0x1a, '\n': // a line break, so that one ESC ] can't hide the rest
			s.state = inText
		case 0x1b:
			s.state = inStringEscape
		}
	case inStringEscape:
		s.state = inText
		if r != '\\' {
			s.escape(r)
		}
	default:
		s.text(r)
	}
}

// text passes printable runes and the control characters of plain text. The C1 controls
// are those of escape sequences in one rune. ENQ, which some terminals answer, and shifts
// to other character sets are not passed.
func (s *screen) text(r rune) {
	switch {
	case r == 0x1b:
		s.state = inEscape
	case r == 0x9b:
		s.state, s.seq = inCSI, s.seq[:0]
	case r == 0x90, r == 0x98, r >= 0x9d && r <= 0x9f:
		s.state = inString
	case r >= 0xa0 && s.ascii:
		s.out, s.mid = append(s.out, '?'), true
	case r == '\t', r == '\n', r == '\r', r == '\b', r == '\a', r >= 0x20 && r < 0x7f, r >= 0xa0:
		s.out, s.mid = utf8.AppendRune(s.out, r), r != '\n'
	}
}

func (s *screen) escape(r rune) {
	s.state = inEscape
	switch {
	case r == '[':
		s.state, s.seq = inCSI, s.seq[:0]
	case r == ']', r == 'P', r == 'X', r == '^', r == '_':
		s.state = inString
	case r >= 0x20 && r <= 0x2f, r == 0x1b: // intermediate: the final one follows
	default:
		s.state = inText
		if r < 0x20 || r > 0x7e {
			s.text(r)
		}
	}
}

// csi passes sequences without a private marker that colour, move or erase.
func (s *screen) csi(r rune) {
	switch {
	case r >= 0x20 && r <= 0x3f && len(s.seq) < maxCSI:
		s.seq = append(s.seq, byte(r))
	case r >= 0x40 && r <= 0x7e:
		s.state = inText
		if plain(s.seq) && harmless(s.seq, byte(r)) {
			s.out = append(append(append(s.out, "\x1b["...), s.seq...), byte(r))
			switch r {
			case 'm':
				s.dirty = len(bytes.Trim(s.seq, "0")) > 0
			case 'K': // grep and gcc end their colours so; the cursor stays where it is
			default:
				s.drawn = true
			}
		}
	default:
		s.state = inText
		s.text(r)
	}
}

// plain reports parameters that are short numbers. Private markers (? > = <) are
// those of modes, queries and the keyboard's protocols.
func plain(seq []byte) bool {
	digits := 0
	for _, b := range seq {
		switch {
		case b == ';' || b == ':':
			digits = 0
		case b < '0' || b > '9' || digits == maxDigits:
			return false
		default:
			digits++
		}
	}
	return true
}

// harmless are colours, cursor movement and erasing. Erasing the lines that have
// scrolled away (3 J) is not: they are what the user did before.
func harmless(seq []byte, final byte) bool {
	switch final {
	case 'm', 'A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'K', 'X', 'a', 'd', 'e', 'f', '`':
		return true
	case 'J':
		n := bytes.TrimLeft(seq, "0")
		return len(n) == 0 || len(n) == 1 && (n[0] == '1' || n[0] == '2')
	}
	return false
}
