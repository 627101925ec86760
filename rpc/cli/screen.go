package cli

import (
	"io"
	"os"
	"unicode/utf8"
)

// screened is w, with a filter in front of it if it is a terminal. A file or a
// pipe gets every byte as it was written.
func screened(w io.Writer) io.Writer {
	if f, ok := w.(*os.File); ok && isTerminal(f) {
		return &screen{w: w}
	}
	return w
}

func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// screen lets text, colours and cursor movement through to a terminal, and
// nothing that changes its state or makes it answer: OSC 52 sets the clipboard,
// OSC and DCS strings retitle and reprogram, a status query types its reply into
// the user's next shell prompt. Output of a command is untrusted.
type screen struct {
	w     io.Writer
	state int
	seq   []byte // the CSI sequence so far
	out   []byte
}

const (
	inText   = iota
	inEscape // after ESC
	inCSI    // after ESC [ or U+009B
	inString // OSC, DCS, APC, PM, SOS: up to its terminator
	inStringEscape
)

// maxCSI is longer than any sequence a terminal knows; what goes on beyond it
// is shown as text.
const maxCSI = 64

func (s *screen) Write(p []byte) (int, error) {
	s.out = s.out[:0]
	for rest := p; len(rest) > 0; {
		r, n := utf8.DecodeRune(rest)
		s.next(r)
		rest = rest[n:]
	}
	if _, err := s.w.Write(s.out); err != nil {
		return 0, err
	}
	return len(p), nil
}

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

// text passes printable runes and the control characters of plain text. The C1
// controls are those of escape sequences in one rune.
func (s *screen) text(r rune) {
	switch {
	case r == 0x1b:
		s.state = inEscape
	case r == 0x9b:
		s.state, s.seq = inCSI, s.seq[:0]
	case r == 0x90, r == 0x98, r >= 0x9d && r <= 0x9f:
		s.state = inString
	case r == '\t', r == '\n', r == '\r', r == '\b', r == '\a', r >= 0x20 && r < 0x7f, r >= 0xa0:
		s.out = utf8.AppendRune(s.out, r)
	}
}

func (s *screen) escape(r rune) {
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
		if plain(s.seq) && moves(r) {
			s.out = append(append(append(s.out, "\x1b["...), s.seq...), byte(r))
		}
	default:
		s.state = inText
		s.text(r)
	}
}

func plain(seq []byte) bool {
	for _, b := range seq {
		if b != ';' && b != ':' && (b < '0' || b > '9') {
			return false
		}
	}
	return true
}

func moves(final rune) bool {
	switch final {
	case 'm', 'A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'J', 'K', 'f':
		return true
	}
	return false
}
