package reply

import (
	"fmt"
	"unicode/utf8"
)

// maxLine bounds a line in characters: what is longer is data, not text.
const (
	maxLine  = 2_000
	lineHead = 1_400
	lineTail = 400
)

// span is a part of the output in bytes.
type span struct{ from, to int64 }

// screen turns output into the lines that a terminal would show in the end: escape
// sequences are obeyed or dropped, and of a progress line the last state is left.
type screen struct {
	emit func(text string, at span)

	cells  []rune
	cursor int
	lost   int // characters in the middle of a line that is too long
	begin  int64
	offset int64
	seq    []byte // of an escape sequence that has begun
	held   []byte // of a character that has begun
}

func (s *screen) write(p []byte) {
	if len(s.held) > 0 {
		p = append(s.held, p...)
		s.held = nil
	}
	for len(p) > 0 {
		r, n := utf8.DecodeRune(p)
		if r == utf8.RuneError && n == 1 && !utf8.FullRune(p) {
			s.held = append(s.held, p...)
			return
		}
		s.offset += int64(n)
		p = p[n:]
		s.put(r)
	}
}

// close emits a last line that has no end.
func (s *screen) close() {
	for range s.held {
		s.put(utf8.RuneError)
	}
	s.offset += int64(len(s.held))
	s.held = nil
	if len(s.cells) > 0 || s.lost > 0 {
		s.line()
	}
}

func (s *screen) put(r rune) {
	switch {
	case len(s.seq) > 0:
		s.sequence(r)
	case r == '\n':
		s.line()
	case r == '\r':
		s.cursor = 0
	case r == '\b':
		s.cursor = max(0, s.cursor-1)
	case r == 0x1b:
		s.seq = append(s.seq, 0x1b)
	case r == '\t', r >= ' ' && r != 0x7f && !odd(r):
		s.cell(r)
	case odd(r) && r > 0x9f: // it could hide or reorder text
		for _, c := range fmt.Sprintf(`\u%04x`, r) {
			s.cell(c)
		}
	}
}

func (s *screen) cell(r rune) {
	if s.cursor < len(s.cells) {
		s.cells[s.cursor] = r
		s.cursor++
		return
	}
	if len(s.cells) == maxLine { // the newest ones stay
		copy(s.cells[lineHead:], s.cells[maxLine-lineTail:])
		s.lost += maxLine - lineHead - lineTail
		s.cells = s.cells[:lineHead+lineTail]
	}
	s.cells = append(s.cells, r)
	s.cursor = len(s.cells)
}

func (s *screen) line() {
	text := string(s.cells)
	if s.lost > 0 {
		text = fmt.Sprintf("%s […%d characters…] %s", string(s.cells[:lineHead]), s.lost, string(s.cells[lineHead:]))
	}
	s.emit(text, span{s.begin, s.offset})
	s.cells, s.cursor, s.lost, s.begin = s.cells[:0], 0, 0, s.offset
}

// maxSequence ends a sequence that never ends by itself: what follows is text again.
const maxSequence = 4 << 10

// sequence takes one character of an escape sequence.
func (s *screen) sequence(r rune) {
	s.seq = append(s.seq, byte(min(r, 0x7f)))
	switch kind := s.seq[1]; {
	case kind == '[' && len(s.seq) > 2 && r >= 0x40 && r <= 0x7e:
		s.control(byte(r), string(s.seq[2:len(s.seq)-1]))
	case kind == '[', len(s.seq) == 2 && (kind == '(' || kind == ')'):
	case kind == ']' || kind == 'P' || kind == '_' || kind == '^' || kind == 'X':
		ended := r == 7 || len(s.seq) > 3 && r == '\\' && s.seq[len(s.seq)-2] == 0x1b
		if !ended && len(s.seq) < maxSequence {
			return
		}
		s.seq = s.seq[:0]
		return
	default:
		s.seq = s.seq[:0]
		return
	}
	if len(s.seq) > 64 {
		s.seq = s.seq[:0]
	}
}

// control obeys what moves in the line or erases it; colours and the rest are dropped.
func (s *screen) control(final byte, params string) {
	n := 0
	_, _ = fmt.Sscanf(params, "%d", &n)
	s.seq = s.seq[:0]
	switch final {
	case 'G':
		s.cursor = min(max(n-1, 0), len(s.cells))
	case 'D':
		s.cursor = max(0, s.cursor-max(n, 1))
	case 'C':
		s.cursor = min(len(s.cells), s.cursor+max(n, 1))
	case 'K':
		switch n {
		case 0:
			s.cells = s.cells[:s.cursor]
		case 2:
			s.cells, s.cursor, s.lost = s.cells[:0], 0, 0
		}
	}
}
