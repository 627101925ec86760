package render

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// window keeps the first and the last characters of a text of any length.
type window struct {
	head, tail int // limits in characters
	total      int // characters seen
	front      strings.Builder
	ring       []rune // the newest ones beyond the head, oldest at next
	next       int
	last       rune
}

func newWindow(s Summary) *window {
	if s.Keep == "head" {
		return &window{head: s.MaxChars}
	}
	return &window{head: s.MaxChars - s.MaxChars/2, tail: s.MaxChars / 2}
}

// copy takes a whole output over. A byte that is not UTF-8 counts as one character, U+FFFD.
func (w *window) copy(r io.Reader) {
	buf := make([]byte, 32<<10)
	held := 0
	for {
		n, err := r.Read(buf[held:])
		b := buf[:held+n]
		held = 0
		if err == nil {
			held = IncompleteRune(b)
		}
		w.add(b[:len(b)-held])
		copy(buf, b[len(b)-held:])
		if err != nil {
			return
		}
	}
}

// copyAfter is copy with a title in front, on a line of its own, if there is anything to
// copy. before says whether there is text already.
func (w *window) copyAfter(title string, r io.Reader, before int) {
	first := make([]byte, 1)
	if n, _ := io.ReadFull(r, first); n == 0 {
		return
	}
	if before > 0 && w.last != '\n' {
		w.add([]byte("\n"))
	}
	w.add([]byte(title))
	w.copy(io.MultiReader(strings.NewReader(string(first)), r))
}

func (w *window) add(b []byte) {
	if len(b) == 0 {
		return
	}
	if w.total >= w.head && w.tail == 0 { // not shown at all
		w.total += utf8.RuneCount(b)
		w.last, _ = utf8.DecodeLastRune(b)
		return
	}
	for len(b) > 0 {
		r, size := utf8.DecodeRune(b)
		b = b[size:]
		w.put(r)
	}
}

func (w *window) put(r rune) {
	w.last = r
	w.total++
	switch {
	case w.total <= w.head:
		w.front.WriteRune(r)
	case w.tail == 0:
	case len(w.ring) < w.tail:
		w.ring = append(w.ring, r)
	default:
		w.ring[w.next] = r
		w.next = (w.next + 1) % w.tail
	}
}

// text is what was kept, with the cut named where it is.
func (w *window) text() string {
	back := string(w.ring[w.next:]) + string(w.ring[:w.next])
	lost := w.total - w.head - len(w.ring)
	switch {
	case lost <= 0:
		return w.front.String() + back
	case w.tail == 0:
		return fmt.Sprintf("%s\n... (truncated, %d more chars)", w.front.String(), lost)
	}
	return fmt.Sprintf("%s\n... (truncated, %d more chars)\n%s", w.front.String(), lost, back)
}

// IncompleteRune is the length of the valid but unfinished rune at the end of b.
func IncompleteRune(b []byte) int {
	for i := 1; i <= min(utf8.UTFMax-1, len(b)); i++ {
		if tail := b[len(b)-i:]; utf8.RuneStart(tail[0]) {
			if !utf8.FullRune(tail) {
				return i
			}
			return 0
		}
	}
	return 0
}
