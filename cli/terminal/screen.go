package terminal

import (
	"errors"
	"io"
	"os"
	"strings"
	"unicode/utf8"
)

// Screened is w, with a filter in front of it if it is a terminal. A file or a
// pipe gets every byte as it was written.
func Screened(w io.Writer) io.Writer {
	if f, ok := w.(*os.File); ok && IsTerminal(f) {
		return &screen{w: w, ascii: !utf8Locale(os.Getenv)}
	}
	return w
}

// IsTerminal reports whether f is a character device.
func IsTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// utf8Locale is false where the environment names another character set. To a
// terminal of one byte a character, the second byte of "ě" is the control CSI.
// Without a name, as in most containers, terminals are UTF-8 today.
func utf8Locale(getenv func(string) string) bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if locale := getenv(name); locale != "" {
			_, charset, _ := strings.Cut(locale, ".")
			charset, _, _ = strings.Cut(charset, "@")
			return charset == "" || strings.EqualFold(charset, "UTF-8") || strings.EqualFold(charset, "utf8")
		}
	}
	return true
}

// screen lets text, colours and cursor movement through to a terminal, and
// nothing that changes its state or makes it answer: OSC 52 sets the clipboard,
// OSC and DCS strings retitle and reprogram, a status query types its reply into
// the user's next shell prompt. Links (OSC 8) show one address and lead to
// another, so they are text only. Output of a command is untrusted.
//
// Output is written anew from what was read, whole sequences at once: two screens on one
// terminal can't make a sequence together.
type screen struct {
	w     io.Writer
	ascii bool // the terminal is not UTF-8
	state int
	seq   []byte // the CSI sequence so far
	held  []byte // the beginning of a character whose rest may come
	out   []byte
	dirty bool // colours or the like are set
	mid   bool // the last line has no end yet
	drawn bool // the cursor was moved, or something erased
}

// waits reports whether the cursor is where the next line of text will start.
func (s *screen) waits() bool {
	return !s.dirty && !s.mid && !s.drawn && s.state == inText && len(s.held) == 0
}

func (s *screen) Write(p []byte) (int, error) {
	s.out = s.out[:0]
	rest := append(s.held, p...)
	s.held = nil
	for len(rest) > 0 {
		if !utf8.FullRune(rest) {
			s.held = rest // at most three bytes
			break
		}
		r, n := utf8.DecodeRune(rest)
		s.next(r)
		rest = rest[n:]
	}
	if _, err := s.w.Write(s.out); err != nil {
		return 0, err
	}
	return len(p), nil
}

// settle forgets what was begun and takes colours back, so that what pillion
// itself says next can be read: after "conceal" it could not.
func (s *screen) settle() error {
	s.out = s.out[:0]
	if len(s.held) > 0 && s.state == inText {
		s.text(utf8.RuneError)
	}
	s.state, s.held = inText, nil
	if s.dirty {
		s.out, s.dirty = append(s.out, "\x1b[0m"...), false
	}
	if len(s.out) == 0 {
		return nil
	}
	_, err := s.w.Write(s.out)
	return err
}

// Settle settles w if it is a screen.
func Settle(w io.Writer) error {
	if s, ok := w.(*screen); ok {
		return s.settle()
	}
	return nil
}

// Apart settles screens and says what puts the cursor of their terminal at the start of a
// line with nothing of theirs below: text that is written over other text can be misread.
func Apart(screens ...io.Writer) (lead string, err error) {
	for _, w := range screens {
		s, ok := w.(*screen)
		if !ok {
			continue
		}
		err = errors.Join(err, s.settle())
		switch {
		case s.drawn:
			lead = "\n\x1b[J"
		case s.mid && lead == "":
			lead = "\n"
		}
		s.mid, s.drawn = false, false
	}
	return lead, err
}

// Waits reports whether what is written to w next starts a line, as far as w knows.
func Waits(w io.Writer) bool {
	s, ok := w.(*screen)
	return !ok || s.waits()
}
